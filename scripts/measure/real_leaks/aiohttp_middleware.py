# SPDX-License-Identifier: Apache-2.0
"""A request with a method that is not allowed stays in the cache of the middleware."""
import asyncio

from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from resident import note

ROUNDS = 600


@web.middleware
async def check(request, handler):
    return await handler(request)


async def page(request):
    return web.Response(text="x")


async def main():
    app = web.Application(middlewares=[check])
    app.router.add_get("/page", page)
    app.freeze()
    for i in range(ROUNDS):
        request = make_mocked_request("POST", "/page", app=app)  # leak
        try:
            await app._handle(request)
        except web.HTTPMethodNotAllowed:
            pass
        note(i, ROUNDS)


asyncio.run(main())
