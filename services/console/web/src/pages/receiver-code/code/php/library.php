<?php
require __DIR__ . '/vendor/autoload.php';

use StandardWebhooks\Exception\WebhookVerificationException;
use StandardWebhooks\Webhook;

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
    // Respond 2xx only after it is stored; anything else makes the delivery come again.
    http_response_code(204);
} catch (Throwable $error) {
    error_log((string) $error);
    http_response_code(500);
}
