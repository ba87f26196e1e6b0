"""The simplest possible server of sessions: it commits each message to SQLite and acknowledges it.

python -m bench.bare_sockets FILE; prints its port.
"""

import json
import sqlite3
import sys

import uvloop
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

# As durable as our own embedded database.
PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL", "temp_store=MEMORY", "cache_size=-20000")


async def run(file: str) -> None:
    database = sqlite3.connect(file, isolation_level=None)
    for pragma in PRAGMAS:
        database.execute(f"PRAGMA {pragma}")
    database.execute("CREATE TABLE event (session INTEGER, seq INTEGER, body TEXT, PRIMARY KEY (session, seq))")
    insert = "INSERT INTO event VALUES (?, ?, ?)"
    sockets = iter(range(1_000_000))

    async def converse(socket: ServerConnection) -> None:
        session, seq = next(sockets), 0
        try:
            async for text in socket:
                frame, seq = json.loads(text), seq + 1
                database.execute(insert, (session, seq, json.dumps(frame["body"])))
                await socket.send(json.dumps({"t": "ack", "cseq": frame["cseq"], "seq": seq, "dup": False}))
        except ConnectionClosed:
            return

    async with serve(converse, "127.0.0.1", 0, compression=None, ping_interval=None) as server:
        print(next(iter(server.sockets)).getsockname()[1], flush=True)  # noqa: T201
        await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(run(sys.argv[1]))
