"""A headless Chromium, spoken to over pipes (the DevTools protocol): no library, no port."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class NoBrowser(Exception):
    """None is installed, or it does not start here."""


class Browser:
    def __init__(self, seconds=60):
        program = next((found for found in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if found), None)
        if program is None:
            raise NoBrowser("no chromium")
        self.seconds, self.last, self.buffer = seconds, 0, b""
        self.events = []
        self.profile = tempfile.TemporaryDirectory()
        read_there, self.to = os.pipe()
        self.back, write_there = os.pipe()

        def hand_over():
            # The protocol wants its pipes as 3 and 4, whichever numbers they have.
            reader, writer = os.dup(read_there), os.dup(write_there)
            os.dup2(reader, 3)
            os.dup2(writer, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-extensions",
             f"--user-data-dir={self.profile.name}", "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=hand_over)
        os.close(read_there)
        os.close(write_there)
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self.session = None
            self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        except (OSError, EOFError, TimeoutError) as error:
            self.close()
            raise NoBrowser(f"{program} does not start: {error}") from error
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    session = None

    def message(self, until):
        while b"\0" not in self.buffer:
            if not select.select([self.back], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.back, 1 << 20)
            if not more:
                raise EOFError("the browser is gone")
            self.buffer += more
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **parameters):
        self.last += 1
        request = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        until = time.monotonic() + self.seconds
        while True:
            answer = self.message(until)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, file, width, height, dark):
        """Shows a file; what it logged, threw and asked for meanwhile."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events.clear()
        self.call("Page.navigate", url=file.resolve().as_uri())
        until = time.monotonic() + self.seconds
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message(until))
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")
        return list(self.events)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def picture(self, file):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(shot["data"]))

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        self.profile.cleanup()
