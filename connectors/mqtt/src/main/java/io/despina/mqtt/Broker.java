package io.despina.mqtt;

import io.despina.connect.ConnectorSettings;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.TimeUnit;

/**
 * A broker, and who we are to it.
 *
 * @param url       for messages
 * @param tls       null without
 * @param client    the client's id
 * @param user      null without
 * @param password  null without
 * @param connectMs how long a connection may take to be made
 */
record Broker(String url, String host, int port, SslContext tls, MqttVersion version, String client, String user, String password,
        long keepAliveMs, long connectMs) {
    private static final int PORT = 1883;
    private static final int TLS_PORT = 8883;

    /** @throws IOException if a secret or a file of TLS is not there */
    static Broker of(ConnectorSettings settings, String client) throws IOException {
        String url = settings.text("broker");
        URI address = URI.create(url);
        boolean secure = address.getScheme().equals("mqtts");
        String host = address.getHost();
        if (host.startsWith("[")) {
            host = host.substring(1, host.length() - 1);
        }
        return new Broker(url, host, address.getPort() > 0 ? address.getPort() : secure ? TLS_PORT : PORT,
                secure ? tls(settings) : null, settings.text("version").equals("5") ? MqttVersion.MQTT_5 : MqttVersion.MQTT_3_1_1,
                client, secret(settings, "user"), secret(settings, "password"), settings.whole("keep_alive_ms"),
                settings.whole("connect_ms"));
    }

    private static String secret(ConnectorSettings settings, String field) throws IOException {
        return settings.has(field) ? settings.secret(field).read() : null;
    }

    private static SslContext tls(ConnectorSettings settings) throws IOException {
        SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK);
        ConnectorSettings.Tls files = settings.has("tls") ? settings.tls("tls") : new ConnectorSettings.Tls(null, null, null);
        try {
            if (files.trust() != null) {
                builder.trustManager(new File(files.trust()));
            }
            if (files.certificate() != null) {
                builder.keyManager(new File(files.certificate()), new File(files.key()));
            }
            return builder.build();
        } catch (IllegalArgumentException | IOException e) {
            throw new IOException("a file of `tls` cannot be used: " + e.getMessage(), e);
        }
    }

    /** The same, with less patience. */
    Broker within(long millis) {
        return new Broker(url, host, port, tls, version, client, user, password, keepAliveMs, Math.min(millis, connectMs));
    }

    boolean isFive() {
        return version == MqttVersion.MQTT_5;
    }

    int keepAliveSeconds() {
        return (int) Math.max(1, TimeUnit.MILLISECONDS.toSeconds(keepAliveMs));
    }

    @Override
    public String toString() {
        return url;
    }
}
