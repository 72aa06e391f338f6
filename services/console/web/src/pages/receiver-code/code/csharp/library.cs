using System.Net;
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

    // Respond 2xx only after it is stored; an exception sends 500, and the delivery comes again.
    return Results.StatusCode(204);
});

app.Run();

// Yours: the events in a database. An id is stored once, also when two deliveries of it arrive together
// (for example: insert into events (id, body) values (@id, @body) on conflict (id) do nothing).
static Task<bool> IsStored(string eventId) => throw new NotImplementedException();

static Task Store(string eventId, JsonDocument webhookEvent) => throw new NotImplementedException();
