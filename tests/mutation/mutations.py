"""Ways to spoil a file: as bytes, as text, and as JSON. Each takes a random.Random and gives bytes."""
import copy, json, math

# What is valid must not be large: a scenario of 10^6 nodes takes as long as it takes. What is far beyond every bound,
# or below it, is welcome.
INTEGERS = [0, -1, 1, 2, 3, 4, 7, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63), 10**30, 10**400]
REALS = [1e308, 5e-324, 1e-300, -0.0, 0.5, 1.5, 1 - 2**-53, 1e22, -1e308, math.nan, math.inf, -math.inf]
TEXTS = ["", " ", "0", "-1", "1e308s", "5e-324s", "1e400s", "1e308GB", "0B", "-5us", "1e-320GB/s", "1e308Gbps",
         "0bps", "1MB", "4B", "5us", "10Gbps", "\u0000", "\ud83d\ude00", "a" * 5000, "../..", "/dev/null", ".", "*", "ring",
         "none", "{}", "0-999999", "0-3,2", "1/0", "nodes > 0", "a and (", "'", "$", "1e999999999999999999999999"]
# Keys whose values are for people, or are held against what was simulated: spoilt less often.
DULL = ("name", "description", "why", "source", "quantity", "value", "tolerance", "extends")


class Obj(list):
    """A JSON object as its (key, value) pairs: keys may be there twice."""


def parsed(data):
    return json.loads(data, object_pairs_hook=Obj)


def dumped(value):
    if isinstance(value, Obj):
        return "{" + ", ".join(f"{json.dumps(key)}: {dumped(part)}" for key, part in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dumped, value)) + "]"
    return json.dumps(value)


def places(value):
    """Every (container, index) below; index is that of the pair or the item."""
    found, ahead = [], [value]
    while ahead:
        at = ahead.pop()
        if isinstance(at, list):
            for i, item in enumerate(at):
                found.append((at, i))
                ahead.append(item[1] if isinstance(at, Obj) else item)
    return found


def get(at, i):
    return at[i][1] if isinstance(at, Obj) else at[i]


def key_of(at, i):
    return at[i][0] if isinstance(at, Obj) else None


def put(at, i, value):
    at[i] = (at[i][0], value) if isinstance(at, Obj) else value


def nested(rng, value):
    for _ in range(rng.choice([1, 3, 62, 63, 64, 65, 100])):
        value = [value] if rng.random() < 0.5 else Obj([(rng.choice(["a", "extends", "platform"]), value)])
    return value


def another_number(rng, value):
    if rng.random() < 0.5:
        return rng.choice(INTEGERS if rng.random() < 0.7 else REALS)
    small = value if abs(value) < 1e15 else 1
    return rng.choice([small + 1, small - 1, -small, small * 2, small / 2, int(small / 2), float(small)])


def another_text(rng, value):
    """Quantities keep their unit, mostly."""
    digits = len(value) - len(value.lstrip("0123456789.e"))
    if digits and rng.random() < 0.7:
        number = rng.choice(INTEGERS + [value for value in REALS if math.isfinite(value)])
        return f"{number if abs(number) < 10**30 else '1e400'}{value[digits:]}"
    return rng.choice([*TEXTS, value + value, value[:-1], value.upper(), value + "\n"])


def another(rng, value, others):
    """In the place of `value`; `others` are places to take something over from, those of the same key if there are any."""
    kind = rng.randrange(20)
    if kind < 12 and isinstance(value, (int, float)) and not isinstance(value, bool):
        return another_number(rng, value)
    if kind < 12 and isinstance(value, str) and (value[:1].isdigit() or not others or rng.random() < 0.2):
        return another_text(rng, value)
    if kind < 12 and isinstance(value, bool):
        return not value
    if kind < 12 and isinstance(value, list) and value:
        part = list(value)
        how = rng.randrange(4)
        part = [] if how == 0 else part + part if how == 1 else part[::-1] if how == 2 else part[:1]
        return Obj(part) if isinstance(value, Obj) else part
    if kind == 12:
        return rng.choice([None, True, False, [], Obj(), 0, 1, "", rng.choice(TEXTS), rng.choice(REALS), [value], Obj([("a", value)])])
    if kind == 13:
        return nested(rng, value)
    if kind == 14:
        return str(value) if not isinstance(value, list) else None
    return copy.deepcopy(get(*rng.choice(others))) if others else None


def spoil_json(rng, data, donors):
    """A few changes of the tree; `donors` are other files of the kind, whose parts may be taken over."""
    tree = parsed(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        all_places = places(tree)
        if not all_places:
            return dumped(nested(rng, tree)).encode()
        at, i = next((place for place in rng.choices(all_places, k=5) if key_of(*place) not in DULL), all_places[0])
        others = all_places if rng.random() < 0.5 else places(parsed(rng.choice(donors)))
        kind = rng.randrange(20)
        if kind == 0:
            del at[i]
        elif kind == 1:
            at.insert(rng.randrange(len(at) + 1), copy.deepcopy(at[i]))
        elif kind == 2 and isinstance(at, Obj):
            at[i] = (rng.choice([at[i][0][:-1], at[i][0] + "s", at[i][0].upper(), "", *TEXTS[:8]]), at[i][1])
        elif kind == 3 and isinstance(at, Obj):  # a key that belongs elsewhere, with its value
            keyed = [(part, j) for part, j in others if isinstance(part, Obj)]
            if keyed:
                part, j = rng.choice(keyed)
                at.append(copy.deepcopy(part[j]))
        else:
            alike = [place for place in others if key_of(*place) == key_of(at, i)] if rng.random() < 0.9 else []
            put(at, i, another(rng, get(at, i), alike or others))
    return dumped(tree).encode("utf-8", "surrogatepass")


def spoil_bytes(rng, data, _=None):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        at, kind = rng.randrange(len(data) + 1), rng.randrange(6)
        if kind == 0:
            del data[at:]
        elif kind == 1 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            data[at:at] = bytes([rng.choice([0, 10, 34, 44, 45, 58, 91, 93, 123, 125, 128, 255, rng.randrange(256)])])
        elif kind == 3:
            del data[at:at + rng.choice([1, 2, 10, 100])]
        elif kind == 4:
            data[at:at] = data[at:at + rng.choice([1, 10, 100])]
        else:
            length = rng.choice([1, 2, 4, 8])
            data[at:at + length] = rng.choice([b"\0", b"\xff", b"\x7f"]) * length
    return bytes(data)


LABELS = ["[1,0]<stdout>:", "[1,3]<stdout>:", " 0: ", "12: ", "[0] ", "> ", "| ", "\x1b[1m", "\u200b", "\ufeff", "\0", "1767225600.25 ",
          "Wed Apr 15 03:04:05 2026[1,0]<stdout>:", "[2026-04-15 03:04:05] ", "node1:77:78 [0] NCCL INFO Channel 00 ", "#", "\\"]


def spoil_log(rng, data, _=None):
    """Lines as launchers, editors and mails leave them: labelled, cut, glued, stamped, with other separators; the order stays."""
    lines = data.decode("utf-8", "replace").split("\n")
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        at = rng.randrange(len(lines))
        line, kind = lines[at], rng.randrange(10)
        where = rng.randrange(len(line) + 1)
        if kind == 0:
            lines[at:at + 1] = [line[:where], line[where:]]
        elif kind == 1:
            lines[at:at + 1] = [line[:where] + rng.choice(LABELS), line[where:]]
        elif kind == 2:
            lines[at:at + 1] = [line[:where], rng.choice(LABELS) + rng.choice(lines), line[where:]]
        elif kind == 3:
            lines[at:] = [rng.choice(LABELS) + each for each in lines[at:]]
        elif kind == 4:
            lines[at:at + 1] = []
            lines = lines or [""]
        elif kind == 5:
            lines.insert(at, rng.choice(lines))
        elif kind == 6:
            words = line.split(" ")
            words[rng.randrange(len(words))] = rng.choice([*TEXTS, *map(repr, REALS), *map(str, INTEGERS), "1,048,576", "1.234,5", "1'024"])
            lines[at] = " ".join(words)
        elif kind == 7:
            lines[at:] = [each.replace(*rng.choice([(".", ","), (",", ";"), (" ", "\u00a0"), ("  ", " "), ("#", ""), (",", "\t")]))
                          for each in lines[at:]]
        elif kind == 8:
            lines[at:] = [line[:where]]
        else:
            lines[at] = line[:where] + rng.choice(LABELS) + line[where:]
    text = rng.choice(["\n", "\n", "\n", "\r\n"]).join(lines)
    return text.encode(rng.choice(["utf-8"] * 6 + ["utf-16", "utf-16-be"]), "surrogatepass")


def spoil_table(rng, data, _=None):
    """Of lines with fields between commas, or between semicolons where there are more of these."""
    separator = ";" if data.count(b";") > data.count(b",") else ","
    lines = data.decode().splitlines()
    lines = [lines[0]] + rng.sample(lines[1:], min(len(lines) - 1, 40))
    for _ in range(rng.choice([1, 1, 2, 3])):
        at = rng.randrange(len(lines))
        fields, kind = lines[at].split(separator), rng.randrange(6)
        if kind == 0:
            del fields[rng.randrange(len(fields))]
        elif kind == 1:
            fields.insert(rng.randrange(len(fields) + 1), rng.choice(fields))
        elif kind == 2:
            lines.insert(at, lines[at])
        else:
            numbers = [repr(number) for number in REALS] + [str(number) for number in INTEGERS]
            fields[rng.randrange(len(fields))] = rng.choice([*TEXTS, *numbers, '"', '""', '"a', "a\"b"])
        lines[at] = separator.join(fields)
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")
