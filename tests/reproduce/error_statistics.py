"""Statistics of errors, as the boards of `gradflight reproduce --measured` have them."""
import math


def percentile(values, fraction):
    values = sorted(values)
    place = (len(values) - 1) * fraction
    below = math.floor(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def close(a, b):
    return a is None and b is None or a is not None and b is not None and math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-15)


def statistics_of(errors):
    if not errors:
        return {"count": 0, "median_abs_error": None, "p80_abs_error": None, "p90_abs_error": None, "within_20": None, "within_30": None}
    return {"count": len(errors), "median_abs_error": percentile(errors, 0.5), "p80_abs_error": percentile(errors, 0.8),
            "p90_abs_error": percentile(errors, 0.9), "within_20": sum(e <= 0.2 for e in errors) / len(errors),
            "within_30": sum(e <= 0.3 for e in errors) / len(errors)}
