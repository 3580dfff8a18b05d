"""Events by Bayeux, the protocol of CometD and of Salesforce: a question is a POST, which is answered when there is news."""

import json
import os
import time
from datetime import datetime
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, Request, build_opener

LONGEST_S = 130
"""How long a server may keep a question; CometD's and Salesforce's answer after 110 s, news or not."""
PASSING = (408, 429, 500, 502, 503, 504)
"""Answers after which the same question makes sense again."""
MOST_WAIT_S = 10.0


class Events:
    """Gives each event of a channel once: they have numbers, and the server goes on behind one that it is told."""

    def open(self, context):
        """``context.options`` has what the graph says; the token is in the environment."""
        self.url, self.channel = context.options["url"], context.options["channel"]
        self.log = context.log
        self.opener = build_opener(HTTPCookieProcessor())
        self.last = 0

    def position(self):
        """The number of the last event that was given."""
        return self.last

    def seek(self, position):
        """Goes on behind it."""
        self.last = position

    def rows(self):
        """A tuple for each event, until the server says that nothing follows."""
        client, wait_s = None, 0.1
        while True:
            try:
                client = client or self.begin()
                news = self.ask("/meta/connect", clientId=client, connectionType="long-polling")
                wait_s = 0.1
            except (OSError, HTTPException, ValueError) as lost:
                # what was in a lost answer comes no more to this client: a new one asks from the last event on
                client, wait_s = None, self.pause(lost, wait_s)
                continue
            for message in news:
                if message["channel"] == self.channel and message["data"]["event"]["replayId"] > self.last:
                    self.last = message["data"]["event"]["replayId"]
                    order = message["data"]["sobject"]
                    yield self.last, datetime.fromisoformat(order["at"]), order["id"], order["status"]
            advice = next((message.get("advice", {}) for message in news if message["channel"] == "/meta/connect"), {})
            if advice.get("reconnect") == "none":
                return
            if advice.get("reconnect") == "handshake":
                client = None
            time.sleep(advice.get("interval", 0) / 1000)

    def begin(self):
        """Shakes hands and subscribes, and returns the id by which the server knows this client."""
        client = self.done("/meta/handshake", version="1.0", supportedConnectionTypes=["long-polling"])["clientId"]
        self.done("/meta/subscribe", clientId=client, subscription=self.channel, ext={"replay": {self.channel: self.last}})
        return client

    def done(self, channel, **fields):
        """The answer to a question that must succeed."""
        answer = self.ask(channel, **fields)[0]
        if not answer["successful"]:
            raise OSError(f"{self.url} refuses {channel}: {answer.get('error')}")
        return answer

    def ask(self, channel, **fields):
        """The messages of an answer."""
        body = json.dumps([{"channel": channel, **fields}]).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['EVENTS_TOKEN']}"}
        with self.opener.open(Request(self.url, body, headers), timeout=LONGEST_S) as answer:
            return json.load(answer)

    def pause(self, lost, wait_s):
        """Waits, and returns how long to wait the next time; raises what no other try would change."""
        after_s = wait_s
        if isinstance(lost, HTTPError):
            if lost.code not in PASSING:
                raise lost
            after_s = float(lost.headers.get("Retry-After") or wait_s)
        self.log.info("asks again in %.1f s: %s", after_s, lost)
        time.sleep(after_s)
        return min(MOST_WAIT_S, 2 * wait_s)
