#!/usr/bin/env python3
"""Attacks a server as clients from outside can: slow senders, slow readers, readers that do not read, half-closed connections, and more
work than it can do. Checks that it still answers, what it refuses, and that its memory goes back.

    cargo build --release && tools/check_serving.py --store STORE [--binary target/release/twistbase] [ATTACK…]

STORE has the tables cube2, cube21, phase1, phase2 and phase2-exact. --share 0.1 attacks with a tenth of the clients. Needs as many open
files as clients. Client and server share the machine, so the limits here are several times what BENCHMARKS.md reports; --strict
takes the limits from there.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import contextlib
import json
import multiprocessing
import os
import pathlib
import resource
import socket
import subprocess
import sys
import time
import urllib.request

ROWS = "/api/v1/cube3/rows?table=phase2-exact"
"""An answer of 2.9 MB."""
FAR = "UBULURUFURURFRBRDRFUFLFRFDFDFDLDRDBDLULBLFLDLBUBRBLBDB"
MIXTURE = [
    "/api/v1/cube3/random?n=10000",
    "/api/v1/cube3/random?n=1000&walk=1000",
    ROWS,
    "/api/v1/cube21/solutions?position=3074DE1A-B82F695C",
    "/api/v1/cube2/rows",
    f"/api/v1/cube3/solve?position={FAR}&target=1",
    "/api/v1/shapes",
    "/api/v1/builds",
    "/api/v1/cube3/random?n=200&scramble=true",
]
QUESTION = "/api/v1/cube21/query?detail=brief&position=3074DE1A-B82F695C"
POSITION = "3074DE1A-B82F695C\n"


class Server:
    """The program, serving a store on a free port."""

    def __init__(self, options: argparse.Namespace, *args: str) -> None:
        command = [options.binary, "--store", options.store, "--quiet", "serve", "--no-build", "--listen", "127.0.0.1:0", *args]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.root = self.process.stdout.readline().strip()
        host, _, port = self.root.removeprefix("http://").rpartition(":")
        self.address = (host, int(port))

    def __enter__(self) -> Server:
        self.get(QUESTION)
        return self

    def __exit__(self, *_: object) -> None:
        # Two signals end it without waiting for answers that nobody reads.
        for _ in range(2):
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(1)
        self.process.wait(30)
        said = self.process.stderr.read()
        expect("panic" not in said and "internal error" not in said, f"the server says: {said[:500]}")

    def get(self, path: str, patience: float = 30) -> bytes:
        return urllib.request.urlopen(self.root + path, timeout=patience).read()

    def memory(self) -> float:
        """Megabytes that are no pages of files."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        [line] = [line for line in status.splitlines() if line.startswith("RssAnon:")]
        return int(line.split()[1]) / 1e3

    def metric(self, name: str) -> int:
        lines = self.get("/metrics").decode().splitlines()
        return sum(int(line.rpartition(" ")[2]) for line in lines if line.startswith(f"twistbase_{name}"))

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        # Little is read ahead, as by a client that is slow.
        return await asyncio.open_connection(*self.address, limit=1 << 12)


class Failed(Exception):
    """What was expected did not come."""


def expect(holds: bool, what: str) -> None:
    if not holds:
        raise Failed(what)


def request(path: str, body: str = "") -> bytes:
    method = "POST" if body else "GET"
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


async def settled(server: Server, most: float, patience: float = 30) -> float:
    """The server's memory when it is down to some megabytes, or after a while."""
    began = time.monotonic()
    while (memory := server.memory()) > most and time.monotonic() - began < patience:
        await asyncio.sleep(0.2)
    return memory


async def unread(server: Server, count: int, path: str = ROWS, headers: str = "") -> list[socket.socket]:
    """Connections that ask and read nothing."""
    text = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode()
    loop, sockets = asyncio.get_running_loop(), []
    for _ in range(count):
        one = socket.socket()
        one.setblocking(False)
        # What the system holds for the client is not the server's.
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
        await loop.sock_connect(one, server.address)
        await loop.sock_sendall(one, text)
        sockets.append(one)
    return sockets


async def memory(options: argparse.Namespace) -> None:
    """Readers that ask for a long answer and do not read it; rounds of them."""
    count = int(1000 * options.share)
    with Server(options) as server:
        (await unread(server, 1))[0].close()
        await asyncio.sleep(1)
        before = server.memory()
        for headers in ["", "Accept-Encoding: gzip\r\n"]:
            sockets = await unread(server, count, headers=headers)
            began, during = time.monotonic(), before
            while time.monotonic() - began < 10:
                during = max(during, server.memory())
                expect(json.loads(server.get(QUESTION))["distance"] == 11, "a question beside them")
                await asyncio.sleep(0.1)
            for one in sockets:
                one.close()
            after = await settled(server, before + 50)
            print(f"{count} readers that do not read {headers.strip()}: {before:.0f} MB before, {during:.0f} MB at most, {after:.0f} MB after")
            expect(during < before + 400, f"{during:.0f} MB for answers that nobody reads")
            expect(after < before + 100, f"{after:.0f} MB remain of {before:.0f} MB")
        rounds = []
        for _ in range(5):
            sockets = await unread(server, count // 2)
            await asyncio.sleep(3)
            for one in sockets:
                one.close()
            rounds.append(await settled(server, before + 50, 10))
        print(f"after each of 5 rounds of {count // 2}: {', '.join(f'{memory:.0f}' for memory in rounds)} MB")
        expect(max(rounds) < before + 100, "memory grows from round to round")
        large = await unread(server, int(400 * options.share), "/api/v1/cube3/solve?position=R2U2R2U2R2U2&method=optimal&table=phase1&extra=2")
        await asyncio.sleep(2)
        for one in large:
            one.close()


async def senders(options: argparse.Namespace) -> None:
    """Clients that send a byte a second, more than there are places, each again when it is dropped."""
    count = int(4200 * options.share)
    with Server(options, "--connections", str(int(4096 * options.share))) as server:
        sent = 0

        async def slow() -> None:
            nonlocal sent
            while True:
                with contextlib.suppress(OSError):
                    _, writer = await server.connect()
                    try:
                        for byte in request("/healthz"):
                            writer.write(bytes([byte]))
                            await writer.drain()
                            sent += 1
                            await asyncio.sleep(1)
                    finally:
                        writer.transport.abort()
                await asyncio.sleep(0.1)

        clients = [asyncio.create_task(slow()) for _ in range(count)]
        await asyncio.sleep(3)
        times = []
        for _ in range(40):
            began = time.monotonic()
            for path in ["/healthz", QUESTION]:
                await asyncio.to_thread(server.get, path)
            times.append(time.monotonic() - began)
            await asyncio.sleep(0.25)
        print(f"{count} slow senders ({sent} bytes): a health check and a question take {max(times) * 1e3:.0f} ms at most; {server.metric('dropped')} dropped")
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)
        expect(max(times) < 5, f"{max(times):.1f} s beside slow senders")


async def readers(options: argparse.Namespace) -> None:
    """Readers of long batches that read 100 bytes a second: others get theirs, and the slow ones are dropped."""
    count = int(70 * options.share)
    with Server(options, "--pause-time", "10s") as server:
        batch = request("/api/v1/cube21/batch", POSITION * 10_000)

        def slow() -> socket.socket:
            one = socket.create_connection(server.address)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
            one.sendall(batch)
            one.setblocking(False)
            return one

        sockets = [slow() for _ in range(count)]
        began, times = time.monotonic(), []
        while time.monotonic() - began < 40 and server.metric("dropped_total{reason=\"reader\"") < count:
            for at, one in enumerate(sockets):
                with contextlib.suppress(OSError):
                    # They come all at once: those for which the queue is too long come again.
                    if one.recv(100).startswith(b"HTTP/1.1 503 "):
                        one.close()
                        sockets[at] = slow()
            asked = time.monotonic()
            # While the answers begin, the queue may be full for a moment.
            while True:
                reader, writer = await server.connect()
                writer.write(request("/api/v1/cube21/batch?detail=brief", POSITION * 100))
                head = await reader.readuntil(b"\r\n")
                if b" 503 " not in head:
                    break
                writer.close()
                await asyncio.sleep(0.1)
            expect(b" 200 " in head, f"another batch: {head!r}")
            times.append(time.monotonic() - asked)
            writer.close()
            await asyncio.sleep(1)
        dropped = server.metric("dropped_total{reason=\"reader\"")
        print(f"{count} slow readers: others' batches begin after {max(times) * 1e3:.0f} ms at most; {dropped} dropped after {time.monotonic() - began:.0f} s")
        expect(dropped == count, f"{dropped} of {count} slow readers are dropped")
        expect(max(times) < 5, f"{max(times):.1f} s for a batch beside slow readers")


async def half_closed(options: argparse.Namespace) -> None:
    """Clients that send a request and the end of what they send."""
    with Server(options) as server:
        answered = 0
        for path in [QUESTION, ROWS] * 25:
            with socket.create_connection(server.address, timeout=30) as one:
                one.sendall(request(path))
                one.shutdown(socket.SHUT_WR)
                reply = b"".join(iter(lambda: one.recv(1 << 16), b""))
            answered += reply.startswith(b"HTTP/1.1 200 ") and (reply.endswith(b"}") or reply.endswith(b"]\r\n0\r\n\r\n"))
        print(f"{answered} of 50 half-closed clients have their answer")
        expect(answered == 50, f"{answered} of 50 half-closed clients have their answer")


def attack(address: tuple[str, int], clients: int) -> None:
    """Asks for more than a server can do, for ever; refused requests are repeated when the server says."""

    async def client(number: int) -> None:
        while True:
            for path in MIXTURE[number % len(MIXTURE) :] + MIXTURE[: number % len(MIXTURE)]:
                with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                    reader, writer = await asyncio.open_connection(*address)
                    writer.write(request(path).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
                    head = await reader.readuntil(b"\r\n\r\n")
                    while await reader.read(1 << 16):
                        pass
                    writer.close()
                    if b" 503 " in head:
                        await asyncio.sleep(1)

    async def all_clients() -> None:
        await asyncio.gather(*(client(number) for number in range(clients)))

    asyncio.run(all_clients())


async def asked(server: Server, connections: int, seconds: float) -> list[float]:
    """The times of questions, on some connections, each after the last."""
    times: list[float] = []

    async def client() -> None:
        reader, writer = await asyncio.open_connection(*server.address)
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            asked = time.monotonic()
            writer.write(request(QUESTION))
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            expect(head.startswith("http/1.1 200 "), head)
            await reader.readexactly(int(head.partition("content-length: ")[2].partition("\r")[0]))
            times.append(time.monotonic() - asked)
            await asyncio.sleep(0.01)
        writer.close()

    await asyncio.gather(*(client() for _ in range(connections)))
    return sorted(times)


async def mixture(options: argparse.Namespace) -> None:
    """Questions beside clients that ask for long lists, rows, batches and searches."""
    with Server(options, "--search-time", "5s") as server:
        alone = await asked(server, 8, 3)
        process = multiprocessing.get_context("spawn").Process(target=attack, args=(server.address, int(300 * options.share)), daemon=True)
        process.start()
        try:
            await asyncio.sleep(3)
            beside = await asked(server, 8, 10)
            refused = server.metric("refused")
        finally:
            process.kill()
            process.join()
        at = lambda times, part: times[int((len(times) - 1) * part)] * 1e3  # noqa: E731
        for name, times in [("alone", alone), ("beside them", beside)]:
            print(f"questions {name}: {len(times)}, median {at(times, 0.5):.1f} ms, 99 of 100 {at(times, 0.99):.1f} ms, at most {at(times, 1):.1f} ms")
        print(f"{refused} requests refused")
        most = 50 if options.strict else 500
        expect(at(beside, 0.99) < most, f"99 of 100 questions take {at(beside, 0.99):.0f} ms beside other work")


ATTACKS = {attack.__name__.replace("_", "-"): attack for attack in [memory, senders, readers, half_closed, mixture]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attack", nargs="*", metavar="ATTACK", help=f"one of {', '.join(ATTACKS)} [default: all]")
    parser.add_argument("--binary", default="target/release/twistbase")
    parser.add_argument("--store", required=True, help="a folder with the tables")
    parser.add_argument("--share", type=float, default=1.0, help="share of the clients")
    parser.add_argument("--strict", action="store_true", help="limits for a machine that does nothing else")
    options = parser.parse_args()
    if unknown := [name for name in options.attack if name not in ATTACKS]:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(ATTACKS)}")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    failed = collections.Counter()
    for name in options.attack or ATTACKS:
        print(f"-- {name}", flush=True)
        try:
            asyncio.run(ATTACKS[name](options))
        except (Failed, OSError, TimeoutError) as error:
            print(f"FAILED: {error or type(error).__name__}", flush=True)
            failed[name] += 1
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
