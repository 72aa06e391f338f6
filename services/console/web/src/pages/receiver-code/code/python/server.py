from flask import Flask, request  # pip install flask

from receive import receive


class Store:
    """Yours: the events in a database. An id is stored once, also when two deliveries of it arrive together
    (for example: insert into events (id, body) values (%s, %s) on conflict (id) do nothing)."""

    def has(self, event_id):
        raise NotImplementedError

    def add(self, event_id, event):
        raise NotImplementedError


app = Flask(__name__)
store = Store()


@app.post("/webhooks")
def webhooks():
    # get_data gives the bytes as they came: JSON that was parsed and written again has another signature.
    # An exception sends 500, and the delivery comes again.
    return "", receive(request.headers, request.get_data(), store)
