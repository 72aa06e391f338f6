/** A Go receiver with the module of Standard Webhooks. */
export const GO_LIBRARY = `package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func receive(w http.ResponseWriter, r *http.Request) {
	// The bytes as they came: JSON that was parsed and written again has another signature.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}

	// The secret of the version that signed it. While you rotate, two are set: WEBHOOK_SECRET_1 and WEBHOOK_SECRET_2.
	secret := os.Getenv("WEBHOOK_SECRET_" + r.Header.Get("x-svc-secret-version"))
	if secret == "" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}

	// The signature over the raw body, compared in constant time, and that it is at most 300 seconds old.
	webhook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if err := webhook.Verify(body, r.Header); err != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}

	// The same event can come more than once: it is processed once, and acknowledged each time.
	eventID := r.Header.Get("webhook-id")
	stored, err := isStored(eventID)
	if err == nil && !stored {
		// Only now look into the body.
		var event map[string]any
		if err = json.Unmarshal(body, &event); err == nil {
			err = store(eventID, event)
		}
	}

	// Answer 2xx only after it is stored; anything else makes the delivery come again.
	if err != nil {
		log.Print(err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Yours: the events in a database. An id is stored once, also when two deliveries of it arrive together
// (for example: insert into events (id, body) values ($1, $2) on conflict (id) do nothing).
func isStored(eventID string) (bool, error) { return false, errors.New("not written yet") }

func store(eventID string, event map[string]any) error { return errors.New("not written yet") }

func main() {
	http.HandleFunc("/webhooks", receive)
	log.Fatal(http.ListenAndServe(":8080", nil))
}
`;

/** A PHP receiver with the Composer package of Standard Webhooks. */
export const PHP_LIBRARY = `<?php
require __DIR__ . '/vendor/autoload.php';

use StandardWebhooks\\Exception\\WebhookVerificationException;
use StandardWebhooks\\Webhook;

// Yours: the events in a database. An id is stored once, also when two deliveries of it arrive together
// (for example: insert into events (id, body) values (?, ?) on conflict (id) do nothing).
function isStored(string $eventId): bool
{
    throw new RuntimeException('not written yet');
}

function store(string $eventId, array $event): void
{
    throw new RuntimeException('not written yet');
}

// The bytes as they came: JSON that was parsed and written again has another signature.
$body = file_get_contents('php://input');
$headers = [
    'webhook-id' => $_SERVER['HTTP_WEBHOOK_ID'] ?? '',
    'webhook-timestamp' => $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '',
    'webhook-signature' => $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '',
];

// The secret of the version that signed it. While you rotate, two are set: WEBHOOK_SECRET_1 and WEBHOOK_SECRET_2.
$secret = (string) getenv('WEBHOOK_SECRET_' . ($_SERVER['HTTP_X_SVC_SECRET_VERSION'] ?? ''));
if ($secret === '') {
    http_response_code(401);
    exit;
}

// The signature over the raw body, compared in constant time, and that it is at most 300 seconds old.
// Only then the body is parsed.
try {
    $event = (new Webhook($secret))->verify($body, $headers);
} catch (WebhookVerificationException $exception) {
    http_response_code(401);
    exit;
}

try {
    // The same event can come more than once: it is processed once, and acknowledged each time.
    $eventId = $headers['webhook-id'];
    if (!isStored($eventId)) {
        store($eventId, $event);
    }
    // Answer 2xx only after it is stored; anything else makes the delivery come again.
    http_response_code(204);
} catch (Throwable $error) {
    error_log((string) $error);
    http_response_code(500);
}
`;

/** A Ruby receiver with the gem of Standard Webhooks. */
export const RUBY_LIBRARY = `require "sinatra"
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

  # Answer 2xx only after it is stored; an exception is answered with 500, and the delivery comes again.
  status 204
end
`;

/** A C# receiver with the NuGet package of Standard Webhooks. */
export const CSHARP_LIBRARY = `using System.Net;
using System.Text;
using System.Text.Json;
using StandardWebhooks;
using StandardWebhooks.Exceptions;

var app = WebApplication.CreateBuilder(args).Build();

app.MapPost("/webhooks", async (HttpRequest request) =>
{
    // The bytes as they came: JSON that was parsed and written again has another signature.
    using var bytes = new MemoryStream();
    await request.Body.CopyToAsync(bytes);
    var body = Encoding.UTF8.GetString(bytes.ToArray());
    var headers = new WebHeaderCollection();
    foreach (var name in new[] { "webhook-id", "webhook-timestamp", "webhook-signature" })
    {
        headers.Set(name, request.Headers[name].ToString());
    }

    // The secret of the version that signed it. While you rotate, two are set: WEBHOOK_SECRET_1 and WEBHOOK_SECRET_2.
    var version = request.Headers["x-svc-secret-version"].ToString();
    var secret = Environment.GetEnvironmentVariable("WEBHOOK_SECRET_" + version);
    if (string.IsNullOrEmpty(secret))
    {
        return Results.StatusCode(401);
    }

    // The signature over the raw body, compared in constant time, and that it is at most 300 seconds old.
    try
    {
        new Webhook(secret).Verify(body, headers);
    }
    catch (WebhookVerificationException)
    {
        return Results.StatusCode(401);
    }

    // The same event can come more than once: it is processed once, and acknowledged each time.
    var eventId = request.Headers["webhook-id"].ToString();
    if (!await IsStored(eventId))
    {
        // Only now look into the body.
        using var webhookEvent = JsonDocument.Parse(body);
        await Store(eventId, webhookEvent);
    }

    // Answer 2xx only after it is stored; an exception is answered with 500, and the delivery comes again.
    return Results.StatusCode(204);
});

app.Run();

// Yours: the events in a database. An id is stored once, also when two deliveries of it arrive together
// (for example: insert into events (id, body) values (@id, @body) on conflict (id) do nothing).
static Task<bool> IsStored(string eventId) => throw new NotImplementedException();

static Task Store(string eventId, JsonDocument webhookEvent) => throw new NotImplementedException();
`;

/** A Java receiver with the Maven artifact of Standard Webhooks, on the server that Java has. */
export const JAVA_LIBRARY = `import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;

public class Receiver {
    public static void main(String[] args) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(8080), 0);
        server.createContext("/webhooks", exchange -> {
            int status;
            try {
                status = receive(exchange);
            } catch (Exception exception) {
                exception.printStackTrace();
                status = 500; // The delivery comes again.
            }
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
    }

    static int receive(HttpExchange exchange) throws Exception {
        // As it came: JSON that was parsed and written again has another signature.
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        HttpHeaders headers = HttpHeaders.of(exchange.getRequestHeaders(), (name, value) -> true);

        // The secret of the version that signed it. While you rotate, two are set: WEBHOOK_SECRET_1 and WEBHOOK_SECRET_2.
        String secret = System.getenv("WEBHOOK_SECRET_" + headers.firstValue("x-svc-secret-version").orElse(""));
        if (secret == null || secret.isEmpty()) {
            return 401;
        }

        // The signature over the raw body, compared in constant time, and that it is at most 300 seconds old.
        try {
            new Webhook(secret).verify(body, headers);
        } catch (WebhookVerificationException exception) {
            return 401;
        }

        // The same event can come more than once: it is processed once, and acknowledged each time.
        String eventId = headers.firstValue("webhook-id").orElseThrow();
        if (!isStored(eventId)) {
            // Parse the body only now, with the JSON library that you have.
            store(eventId, body);
        }

        // Answer 2xx only after it is stored.
        return 204;
    }

    // Yours: the events in a database. An id is stored once, also when two deliveries of it arrive together
    // (for example: insert into events (id, body) values (?, ?) on conflict (id) do nothing).
    static boolean isStored(String eventId) {
        throw new UnsupportedOperationException("not written yet");
    }

    static void store(String eventId, String body) {
        throw new UnsupportedOperationException("not written yet");
    }
}
`;
