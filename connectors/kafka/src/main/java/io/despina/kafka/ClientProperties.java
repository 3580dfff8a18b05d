package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.Callable;

/** The settings of Kafka's clients that are the same for all of them. */
final class ClientProperties {
    /** How long a client waits before it connects again, at first and at most. */
    private static final String RECONNECT_MS = "50";
    private static final String MOST_RECONNECT_MS = "1000";

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
        Path path = Path.of(file);
        if (!Files.isReadable(path)) {
            throw new IOException("the files of `tls` cannot be used: there is no " + file
                    + (Files.exists(path) ? " that may be read" : ""));
        }
        return Files.readString(path);
    }

    private static void sasl(ConnectorSettings settings, Properties properties) throws IOException {
        String mechanism = settings.text("mechanism");
        String module = mechanism.equals("PLAIN") ? "org.apache.kafka.common.security.plain.PlainLoginModule"
                : "org.apache.kafka.common.security.scram.ScramLoginModule";
        properties.setProperty("sasl.mechanism", mechanism);
        properties.setProperty("sasl.jaas.config", module + " required username=" + quoted(settings.secret("user").read())
                + " password=" + quoted(settings.secret("password").read()) + ";");
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
