"""The floor: the same requests sent by a bare loop that reads and parses each reply and does nothing else.

python benchmarks/bare.py httpx|aiohttp URL REQUESTS CALLS IN_FLIGHT: REQUESTS has one request body a line, used in turn.
A client library is imported by the loop that uses it, so that neither pays for the other. The headers are those that the
program sends: its key (BENCHMARK_API_KEY), its encoding, its name. Standard error has two lines at the end: the CPU seconds of
this process before its first request, and after its last reply. Figures of different days are compared: `engine.py` keeps the
hash of this file, and does not measure beside another one.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

Post = Callable[[bytes, dict[str, str]], Awaitable[bytes]]
Numbered = Iterator[tuple[int, bytes]]
HEADERS = {
    "content-type": "application/json",
    "authorization": f"Bearer {os.environ.get('BENCHMARK_API_KEY', '')}",
    "accept-encoding": "gzip",
    "user-agent": "tui-eval",
}


async def over_httpx(url: str, requests: Numbered, in_flight: int) -> int:
    """httpx on the aiohttp transport: what the engine sends with."""
    import aiohttp
    import httpx
    from httpx_aiohttp import AiohttpTransport

    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), cookie_jar=aiohttp.DummyCookieJar())
    address = httpx.URL(url)
    async with session, httpx.AsyncClient(transport=AiohttpTransport(client=session), timeout=None) as client:

        async def post(body: bytes, headers: dict[str, str]) -> bytes:
            response = await client.post(address, content=body, headers=headers)
            return response.raise_for_status().content

        return await _work(post, requests, in_flight)


async def over_aiohttp(url: str, requests: Numbered, in_flight: int) -> int:
    """aiohttp by itself."""
    import aiohttp

    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None),
        raise_for_status=True,
    )
    async with session:

        async def post(body: bytes, headers: dict[str, str]) -> bytes:
            async with session.post(url, data=body, headers=headers) as response:
                return await response.read()

        return await _work(post, requests, in_flight)


async def _work(post: Post, requests: Numbered, in_flight: int) -> int:
    """As many workers as calls may be in flight, all pulling from one iterator; how many replies held a text."""
    answered = 0
    print(f"first request {time.process_time():.6f}", file=sys.stderr)

    async def worker() -> None:
        nonlocal answered
        for number, body in requests:
            headers = {**HEADERS, "x-client-request-id": f"bare-{number:06d}"}
            reply = json.loads(await post(body, headers))
            answered += bool(reply["choices"][0]["message"]["content"])

    async with asyncio.TaskGroup() as group:
        for _ in range(in_flight):
            group.create_task(worker())
    print(f"last reply {time.process_time():.6f}", file=sys.stderr)
    return answered


LOOPS = {"httpx": over_httpx, "aiohttp": over_aiohttp}


def main() -> int:
    """Run one loop; exit code 1 when a reply was missing."""
    name, url, path, calls, in_flight = sys.argv[1:]
    bodies = Path(path).read_bytes().splitlines()
    requests = enumerate(itertools.islice(itertools.cycle(bodies), int(calls)))
    answered = asyncio.run(LOOPS[name](url, requests, int(in_flight)))
    print(answered)
    return 0 if answered == int(calls) else 1


if __name__ == "__main__":
    sys.exit(main())
