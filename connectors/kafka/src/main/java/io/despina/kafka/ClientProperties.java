package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.TlsContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.security.oauthbearer.ClientCredentialsJwtRetriever;
import org.apache.kafka.common.security.oauthbearer.ClientJwtValidator;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule;

/** The settings of Kafka's clients that are the same for all of them. */
final class ClientProperties {
    /** How long a client waits before it connects again, at first and at most. */
    private static final String RECONNECT_MS = "50";
    private static final String MOST_RECONNECT_MS = "1000";
    private static final String ALLOWED_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls";

    private ClientProperties() {
    }

    /** @param name of the client, for the broker's logs */
    static Properties of(ConnectorSettings settings, String name) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("reconnect.backoff.ms", RECONNECT_MS);
        properties.setProperty("reconnect.backoff.max.ms", MOST_RECONNECT_MS);
        properties.setProperty("metric.reporters", "");
        properties.setProperty("enable.metrics.push", "false");
        properties.putAll(settings.named("properties"));
        properties.setProperty("bootstrap.servers", settings.text("bootstrap_servers").replaceAll("\\s", ""));
        properties.setProperty("client.id", name);
        boolean tls = settings.has("tls");
        boolean sasl = settings.has("mechanism");
        properties.setProperty("security.protocol", (sasl ? "SASL_" : "") + (tls ? "SSL" : "PLAINTEXT"));
        if (tls) {
            tls(settings.tls("tls"), properties);
        }
        if (sasl) {
            sasl(settings, properties);
        }
        return properties;
    }

    private static void tls(ConnectorSettings.Tls files, Properties properties) throws IOException {
        if (files.trust() != null) {
            properties.setProperty("ssl.truststore.type", "PEM");
            properties.setProperty("ssl.truststore.certificates", text(files.trust()));
        }
        if (files.certificate() != null) {
            properties.setProperty("ssl.keystore.type", "PEM");
            properties.setProperty("ssl.keystore.certificate.chain", text(files.certificate()));
            properties.setProperty("ssl.keystore.key", text(files.key()));
        }
    }

    private static String text(String file) throws IOException {
        return new String(TlsContext.bytes(file), StandardCharsets.UTF_8);
    }

    private static void sasl(ConnectorSettings settings, Properties properties) throws IOException {
        String mechanism = settings.text("mechanism");
        if (mechanism.equals(OAuthBearerLoginModule.OAUTHBEARER_MECHANISM)) {
            oauth(settings, properties);
            return;
        }
        String module = mechanism.equals("PLAIN") ? "org.apache.kafka.common.security.plain.PlainLoginModule"
                : "org.apache.kafka.common.security.scram.ScramLoginModule";
        properties.setProperty("sasl.mechanism", mechanism);
        properties.setProperty("sasl.jaas.config", module + " required username=" + quoted(settings.secret("user").read())
                + " password=" + quoted(settings.secret("password").read()) + ";");
    }

    /** Kafka's client fetches a token, and another before that one expires. By default it looks for what only brokers need. */
    private static void oauth(ConnectorSettings settings, Properties properties) throws IOException {
        String url = settings.text("token_url");
        allow(url);
        properties.setProperty(SaslConfigs.SASL_MECHANISM, OAuthBearerLoginModule.OAUTHBEARER_MECHANISM);
        properties.setProperty(SaslConfigs.SASL_JAAS_CONFIG, OAuthBearerLoginModule.class.getName() + " required;");
        properties.setProperty(SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS, OAuthBearerLoginCallbackHandler.class.getName());
        properties.setProperty(SaslConfigs.SASL_OAUTHBEARER_JWT_RETRIEVER_CLASS, ClientCredentialsJwtRetriever.class.getName());
        properties.setProperty(SaslConfigs.SASL_OAUTHBEARER_JWT_VALIDATOR_CLASS, ClientJwtValidator.class.getName());
        properties.setProperty(SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL, url);
        properties.setProperty(SaslConfigs.SASL_OAUTHBEARER_CLIENT_CREDENTIALS_CLIENT_ID, settings.secret("user").read());
        properties.setProperty(SaslConfigs.SASL_OAUTHBEARER_CLIENT_CREDENTIALS_CLIENT_SECRET,
                settings.secret("password").read());
        if (settings.has("scope")) {
            properties.setProperty(SaslConfigs.SASL_OAUTHBEARER_SCOPE, settings.text("scope"));
        }
    }

    /** The client asks only servers that a property of the process names. */
    private static synchronized void allow(String url) {
        Set<String> allowed = new LinkedHashSet<>(List.of(System.getProperty(ALLOWED_URLS, url).split(",")));
        allowed.add(url);
        System.setProperty(ALLOWED_URLS, String.join(",", allowed));
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** Makes a client, which finds classes by the thread's class loader. */
    static <T> T made(Callable<T> client) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(ClientProperties.class.getClassLoader());
        try {
            return client.call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** @return {@code despina.readings.0} */
    static String name(String operator, int instance) {
        return "despina." + operator + "." + instance;
    }
}
