package io.despina.opcua;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.eclipse.milo.opcua.sdk.server.OpcUaServer;
import org.eclipse.milo.opcua.sdk.server.api.config.OpcUaServerConfig;
import org.eclipse.milo.opcua.sdk.server.identity.UsernameIdentityValidator;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.UaException;
import org.eclipse.milo.opcua.stack.core.security.DefaultCertificateManager;
import org.eclipse.milo.opcua.stack.core.security.SecurityPolicy;
import org.eclipse.milo.opcua.stack.core.transport.TransportProfile;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.builtin.LocalizedText;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;
import org.eclipse.milo.opcua.stack.core.types.enumerated.MessageSecurityMode;
import org.eclipse.milo.opcua.stack.core.types.structured.BuildInfo;
import org.eclipse.milo.opcua.stack.core.util.SelfSignedCertificateBuilder;
import org.eclipse.milo.opcua.stack.core.util.SelfSignedCertificateGenerator;
import org.eclipse.milo.opcua.stack.server.EndpointConfiguration;
import org.eclipse.milo.opcua.stack.server.security.ServerCertificateValidator;

/** A server of a small plant, by Milo's server, on the loopback interface: {@code /Plant/line1/pump/Temperature} and so on. */
final class PlantServer implements AutoCloseable {
    static final String URI = "urn:despina:plant";
    static final String USER = "reader";
    static final String PASSWORD = "secret";
    private static final int KEY_BITS = 2_048;
    private static final long SHUTDOWN_S = 10;
    private static final long TICK_MS = 50;
    private static final String PUMP = "line1.pump.Temperature";

    /** A key, and a certificate that it signs itself. */
    record Keys(KeyPair pair, X509Certificate certificate) {
        static Keys of(String uri) throws Exception {
            KeyPair pair = SelfSignedCertificateGenerator.generateRsaKeyPair(KEY_BITS);
            return new Keys(pair, new SelfSignedCertificateBuilder(pair).setCommonName(uri).setApplicationUri(uri)
                    .addIpAddress("127.0.0.1").build());
        }

        Path writeCertificate(Path file) throws Exception {
            return write(file, "CERTIFICATE", certificate.getEncoded());
        }

        Path writeKey(Path file) throws IOException {
            return write(file, "PRIVATE KEY", pair.getPrivate().getEncoded());
        }

        private static Path write(Path file, String what, byte[] bytes) throws IOException {
            return Files.writeString(file, "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes)
                    + "\n-----END " + what + "-----\n", StandardCharsets.US_ASCII);
        }
    }

    private volatile boolean letsIn = true;
    private final OpcUaServer server;
    private final Plant plant;

    /** @param trusted clients that may sign what they send */
    PlantServer(int port, Keys keys, Set<X509Certificate> trusted) throws Exception {
        this(port, keys, trusted, List.of());
    }

    /** @param had by the pump, before anybody can ask for it */
    private PlantServer(int port, Keys keys, Set<X509Certificate> trusted, List<DataValue> had) throws Exception {
        server = new OpcUaServer(OpcUaServerConfig.builder().setApplicationUri(URI).setProductUri(URI)
                .setApplicationName(LocalizedText.english("plant")).setEndpoints(endpoints(port, keys.certificate()))
                .setBuildInfo(new BuildInfo(URI, "despina", "plant", "1", "1", DateTime.now()))
                .setCertificateManager(new DefaultCertificateManager(keys.pair(), keys.certificate()))
                .setCertificateValidator(new Trusting(trusted)).setIdentityValidator(new UsernameIdentityValidator(true, login ->
                        letsIn && login.getUsername().equals(USER) && login.getPassword().equals(PASSWORD))).build());
        plant = new Plant(server);
        plant.startup();
        had.forEach(value -> plant.set(PUMP, value));
        server.startup().get();
    }

    private static Set<EndpointConfiguration> endpoints(int port, X509Certificate certificate) {
        EndpointConfiguration.Builder plain = EndpointConfiguration.newBuilder().setBindAddress("127.0.0.1").setBindPort(port)
                .setHostname("plant.invalid").setPath("/plant").setCertificate(certificate)
                .setTransportProfile(TransportProfile.TCP_UASC_UABINARY)
                .addTokenPolicies(OpcUaServerConfig.USER_TOKEN_POLICY_ANONYMOUS, OpcUaServerConfig.USER_TOKEN_POLICY_USERNAME);
        Set<EndpointConfiguration> all = new LinkedHashSet<>();
        all.add(plain.copy().setSecurityPolicy(SecurityPolicy.None).setSecurityMode(MessageSecurityMode.None).build());
        all.add(plain.copy().setSecurityPolicy(SecurityPolicy.Basic256Sha256).setSecurityMode(MessageSecurityMode.SignAndEncrypt)
                .build());
        return all;
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** A value that a node has from now on, whatever a client samples. */
    void set(String node, Object value) {
        set(node, new DataValue(new Variant(value), StatusCode.GOOD, DateTime.now(), DateTime.now()));
    }

    void set(String node, DataValue value) {
        plant.set(node, value);
    }

    /** Whether the user may log in. */
    void letsIn(boolean now) {
        letsIn = now;
    }

    void pose(double x, double y) {
        set("line1.Pose", plant.pose(x, y));
    }

    void add(String device, String name) {
        plant.add(device, name);
    }

    /** Runs that whenever a client has nodes watched, before it is told so. */
    void whenWatched(Runnable then) {
        plant.whenWatched(then);
    }

    /** Ends all subscriptions, as when their time is over; their sessions stay. */
    void endSubscriptions() {
        server.getSubscriptions().keySet().forEach(id -> server.getSessionManager().getAllSessions().forEach(each ->
                each.getSubscriptionManager().removeSubscription(id)));
    }

    int subscriptions() {
        return server.getSubscriptions().size();
    }

    int sessions() {
        return server.getSessionManager().getAllSessions().size();
    }

    /** Ends all sessions, as when clients were away for too long; their subscriptions stay. */
    void endSessions() {
        server.getSessionManager().getAllSessions().forEach(each -> server.getSessionManager().killSession(each.getSessionId(),
                false));
    }

    @Override
    public void close() {
        plant.shutdown();
        server.shutdown().orTimeout(SHUTDOWN_S, TimeUnit.SECONDS).join();
    }

    /**
     * Runs one until its standard input ends: {@code PORT}, and the pump's temperature counts up; or {@code PORT FILE}, and it
     * has what lines of the standard input say, each with a first and a last number. The file has all of them, also over a kill.
     */
    public static void main(String[] arguments) throws Exception {
        KeptHistory kept = arguments.length == 1 ? null : new KeptHistory(Path.of(arguments[1]));
        List<DataValue> had = kept == null ? List.of() : kept.had();
        try (PlantServer server = new PlantServer(Integer.parseInt(arguments[0]), Keys.of(URI), Set.of(), had)) {
            System.out.println("ready");
            if (kept == null) {
                count(server);
            } else {
                obey(server, kept);
            }
        }
        System.exit(0);         // Milo's threads need not end
    }

    private static void count(PlantServer server) throws Exception {
        Thread ticks = new Thread(() -> {
            for (double celsius = 0;; celsius++) {
                server.set(PUMP, celsius);
                try {
                    TimeUnit.MILLISECONDS.sleep(TICK_MS);
                } catch (InterruptedException end) {
                    return;
                }
            }
        });
        ticks.setDaemon(true);
        ticks.start();
        while (System.in.read() >= 0) {
            continue;
        }
        ticks.interrupt();
        ticks.join();
    }

    private static void obey(PlantServer server, KeptHistory kept) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] range = line.split(" ");
            for (DataValue value : kept.have(Integer.parseInt(range[0]), Integer.parseInt(range[1]))) {
                server.set(PUMP, value);
            }
            System.out.println("had");
        }
    }

    /** Believes those of a set. */
    private record Trusting(Set<X509Certificate> trusted) implements ServerCertificateValidator {
        @Override
        public void validateCertificateChain(List<X509Certificate> chain) throws UaException {
            if (!trusted.contains(chain.get(0))) {
                throw new UaException(StatusCodes.Bad_CertificateUntrusted);
            }
        }

        @Override
        public void validateCertificateChain(List<X509Certificate> chain, String applicationUri) throws UaException {
            validateCertificateChain(chain);
        }
    }
}
