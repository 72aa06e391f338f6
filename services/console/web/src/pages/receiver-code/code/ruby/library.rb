require "sinatra"
require "standardwebhooks"

# Yours: the events in a database. An id is stored once, also when two deliveries of it arrive together
# (for example: insert into events (id, body) values ($1, $2) on conflict (id) do nothing).
def stored?(event_id)
  raise NotImplementedError
end

def store(event_id, event)
  raise NotImplementedError
end

post "/webhooks" do
  # The bytes as they came: JSON that was parsed and written again has another signature.
  body = request.body.read
  headers = {
    "webhook-id" => request.env["HTTP_WEBHOOK_ID"],
    "webhook-timestamp" => request.env["HTTP_WEBHOOK_TIMESTAMP"],
    "webhook-signature" => request.env["HTTP_WEBHOOK_SIGNATURE"]
  }

  # The secret of the version that signed it. While you rotate, two are set: WEBHOOK_SECRET_1 and WEBHOOK_SECRET_2.
  secret = ENV["WEBHOOK_SECRET_#{request.env["HTTP_X_SVC_SECRET_VERSION"]}"].to_s
  halt 401 if secret.empty?

  # The signature over the raw body, compared in constant time, and that it is at most 300 seconds old.
  # Only then the body is parsed.
  begin
    event = StandardWebhooks::Webhook.new(secret).verify(body, headers)
  rescue StandardWebhooks::WebhookVerificationError
    halt 401
  end

  # The same event can come more than once: it is processed once, and acknowledged each time.
  event_id = headers["webhook-id"]
  store(event_id, event) unless stored?(event_id)

  # Respond 2xx only after it is stored; an exception sends 500, and the delivery comes again.
  status 204
end
