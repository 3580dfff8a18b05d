package io.despina.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.ConnectorSettings.HiddenText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client of Kafka with a fake OAuth server; it asks for a token before it looks for a broker. */
final class ClientPropertiesTest {
    private static final int REFUSED = 401;
    private static final long MINUTE = 60;

    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private HttpServer server;
    private int status = 200;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/token", exchange -> {
            asked.add(exchange.getRequestHeaders().getFirst("Authorization") + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            byte[] answer = ("{\"access_token\": \"" + token() + "\"}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static String token() {
        long now = System.currentTimeMillis() / 1_000;
        return base64("{\"alg\": \"none\"}") + "." + base64("{\"sub\": \"plant\", \"iat\": " + (now - 1) + ", \"exp\": "
                + (now + MINUTE) + "}") + "." + base64("signature");
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private Properties properties() throws IOException {
        return ClientProperties.of(new ConnectorSettings(Map.of("bootstrap_servers", "127.0.0.1:1", "mechanism", "OAUTHBEARER",
                "user", (HiddenText) () -> "plant", "password", (HiddenText) () -> "secret", "scope", "kafka", "token_url",
                "http://127.0.0.1:" + server.getAddress().getPort() + "/token")), "test");
    }

    @Test
    void aTokenIsFetchedByTheCredentialsOfTheClient() throws Exception {
        ClientProperties.made(() -> Admin.create(properties())).close(Duration.ZERO);
        assertEquals(List.of("Basic " + Base64.getEncoder().encodeToString("plant:secret".getBytes(StandardCharsets.UTF_8))
                + " grant_type=client_credentials&scope=kafka"), asked);
    }

    @Test
    void aRefusedClientIsTold() {
        status = REFUSED;
        Exception why = assertThrows(Exception.class, () -> ClientProperties.made(() -> Admin.create(properties())));
        String words = KafkaWords.of(why, "127.0.0.1:1", 1).getMessage();
        assertTrue(words.contains("401"), words);
    }
}
