import com.standardwebhooks.Webhook;
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

        // Respond 2xx only after it is stored.
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
