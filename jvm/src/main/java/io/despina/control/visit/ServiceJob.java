package io.despina.control.visit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Credentials;
import io.despina.control.protocol.GivenJson;
import io.despina.control.protocol.Refusal;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * A job that a service runs ({@code despina serve}). The service says where the job's coordinator is reached, and what it takes
 * to be let in there, to whoever has a token of the role {@code admin}.
 */
public final class ServiceJob {
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final int OK = 200;
    /** The job is starting, or the service's coordinator is. */
    private static final int STARTING = 503;
    private static final int TRIES = 300;
    private static final long PAUSE_MILLIS = 200;

    private final String service;
    private final URI asked;
    private final String token;
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(ANSWER).build();

    private ServiceJob(String service, URI asked, String token) {
        this.service = service;
        this.asked = asked;
        this.token = token;
    }

    /**
     * Asks nothing yet.
     *
     * @param service   address of the service, {@code http://HOST:PORT}
     * @param job       name of the job
     * @param tokenFile file with the token; null for that of the environment
     */
    public static ServiceJob of(String service, String job, String tokenFile) throws Refusal {
        String name = URLEncoder.encode(job, StandardCharsets.UTF_8).replace("+", "%20");
        return new ServiceJob(service, root(service).resolve("/api/v1/jobs/" + name + "/address"), Credentials.token(tokenFile));
    }

    private static URI root(String service) throws Refusal {
        try {
            URI found = new URI(service);
            boolean isOne = ("http".equals(found.getScheme()) || "https".equals(found.getScheme())) && found.getHost() != null
                    && found.getRawUserInfo() == null && found.getRawQuery() == null && found.getRawFragment() == null
                    && found.getRawPath().matches("/?");
            if (isOne) {
                return found;
            }
        } catch (URISyntaxException none) {
            // told below
        }
        throw new Refusal("service", "option `service` is no address of a service", "for example http://127.0.0.1:7600");
    }

    /**
     * Where the job is now. Waits for a job that is starting, a minute.
     *
     * @throws Refusal in the service's own words; or if it is not reached
     */
    public JobAddress address() throws Refusal {
        try {
            HttpResponse<String> answer = answer();
            for (int tries = 1; answer.statusCode() == STARTING && tries < TRIES; tries++) {
                Thread.sleep(PAUSE_MILLIS);
                answer = answer();
            }
            return found(answer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("stopped", e);
        }
    }

    /** The same without waiting: a job that is starting is refused too. */
    JobAddress now() throws Refusal, InterruptedException {
        return found(answer());
    }

    private HttpResponse<String> answer() throws Refusal, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(asked).timeout(ANSWER).header("Authorization", "Bearer " + token).build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException why) {
            throw new Refusal("service_unreachable", "the service at " + service + " is not reached: "
                    + (why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage()), "is it running?");
        }
    }

    private JobAddress found(HttpResponse<String> answer) throws Refusal {
        if (answer.statusCode() == OK) {
            return JobAddress.parse(answer.body());
        }
        throw refused(answer);
    }

    private Refusal refused(HttpResponse<String> answer) {
        try {
            ObjectNode said = GivenJson.parseObject(answer.body(), "answer");
            JsonNode first = said.path("diagnostics").path(0);
            if (first.hasNonNull("message")) {
                String hint = first.path("hint").asText();
                return new Refusal(first.path("rule").asText("service"), first.get("message").asText(),
                        hint.isEmpty() ? null : hint);
            }
        } catch (Refusal none) {
            // told below
        }
        return new Refusal("service", service + " answered " + answer.statusCode() + ", which is no answer of a service",
                "is the address right?");
    }
}
