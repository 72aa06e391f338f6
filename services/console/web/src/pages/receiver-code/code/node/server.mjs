import express from 'express'; // npm install express
import { receive } from './receive.mjs';

// Yours: the events in a database. An id is stored once, also when two deliveries of it arrive together
// (for example: insert into events (id, body) values ($1, $2) on conflict (id) do nothing).
const store = {
  async has(eventId) {
    throw new Error('not written yet');
  },
  async add(eventId, event) {
    throw new Error('not written yet');
  },
};

const app = express();
// express.raw keeps the bytes as they came: JSON that was parsed and written again has another signature.
app.post('/webhooks', express.raw({ type: 'application/json' }), async (request, response) => {
  try {
    response.sendStatus(await receive(request.headers, request.body, store));
  } catch (error) {
    console.error(error);
    response.sendStatus(500); // The delivery comes again.
  }
});
app.listen(8080);
