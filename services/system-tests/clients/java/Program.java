import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.ConsoleApi;
import org.openapitools.client.api.InboundApi;
import org.openapitools.client.api.InstallerApi;
import org.openapitools.client.model.LeadIn;
import org.openapitools.client.model.StatusEventIn;

public class Program {
    static String setting(String name) {
        return System.getenv(name);
    }

    static ApiClient client(String header, String value) {
        ApiClient client = new ApiClient();
        client.updateBaseUri(setting("BASE_URL"));
        client.setRequestInterceptor(request -> request.header(header, value));
        return client;
    }

    public static void main(String[] args) throws Exception {
        InboundApi inbound = new InboundApi(client("x-api-key", setting("SELLER_KEY")));
        InstallerApi installer = new InstallerApi(client("x-api-key", setting("INSTALLER_KEY")));
        ConsoleApi console = new ConsoleApi(client("cookie", setting("COOKIE")));
        String unique = setting("UNIQUE");
        String jobId = setting("JOB_ID");

        var lead = inbound.createLead(
            new LeadIn().fullName("Ada Quill").email("ada@example.com").phone("+1 512 555 0100").address(unique + " Main Street"),
            null, null);
        var feed = installer.listJobFeed(null, 100, "start", null, null, null, null, null);
        int version = feed.getResources().stream()
            .filter(entry -> entry.getResource().getId().equals(jobId))
            .mapToInt(entry -> entry.getResource().getVersion())
            .max().orElseThrow();
        var job = installer.recordStatusEvent(
            jobId, unique,
            new StatusEventIn().status(StatusEventIn.StatusEnum.ACKNOWLEDGED).occurredAt(OffsetDateTime.now(ZoneOffset.UTC)).expectedVersion(version),
            null, null);
        var webhook = console.pauseWebhook(setting("WEBHOOK_ID"), setting("ORIGIN"), null);
        System.out.println(ApiClient.createDefaultObjectMapper().writeValueAsString(Map.of(
            "leadId", lead.getLeadId(),
            "version", job.getResource().getVersion(),
            "state", webhook.getState())));
    }
}
