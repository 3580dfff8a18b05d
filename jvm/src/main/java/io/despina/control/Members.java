package io.despina.control;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.placement.Deployment;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import io.despina.wire.Wire;
import io.despina.wire.WireOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The resources that the coordinator directs besides its own JVM: starts children, lets others join, watches that they live, and
 * keeps them for the next job that asks for the same ones.
 */
final class Members implements AutoCloseable {
    private static final long HEARTBEAT_SECONDS = 1;
    /** Silence after which a resource counts as lost, and a resource gives up its coordinator. */
    static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long JOIN_SECONDS = 60;
    private static final long END_MILLIS = 3_000;
    private static final int SECRET_BYTES = 32;
    /** The coordinator's connections carry control messages only; segments are never asked for. */
    private static final long CONTROL_BUDGET = 64 << 20;

    /** Starts a resource on this machine. */
    @FunctionalInterface
    interface Starter {

        /**
         * Starts it with {@link ResourceMain}'s arguments.
         *
         * @return null if it is no process
         */
        ChildProcess start(Deployment.Resource resource, List<String> arguments, String secret) throws Refusal;
    }

    private final Member.Listener listener;
    private final ScheduledExecutorService timer;
    private final Starter starter;

    // guarded by this
    private final Map<Integer, Wire> wires = new HashMap<>();
    private final Map<Deployment.Resource, RemoteMember> members = new HashMap<>();
    private final Map<String, RemoteMember> byToken = new HashMap<>();
    private final String secret = randomSecret();
    private int tokens;
    private boolean closed;

    Members(Member.Listener listener, ScheduledExecutorService timer, Starter starter) {
        this.starter = starter;
        this.listener = listener;
        this.timer = timer;
        timer.scheduleAtFixedRate(this::heartbeat, HEARTBEAT_SECONDS, HEARTBEAT_SECONDS, TimeUnit.SECONDS);
    }

    /** Whether the coordinator starts it; others join. */
    private static boolean isChild(Deployment.Resource resource) {
        return resource.host().equals("127.0.0.1") || resource.host().equals("localhost");
    }

    static String randomSecret() {
        byte[] random = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    /**
     * The resource of that description: the one that serves already, a new child, or whoever joins by its name.
     *
     * @param expressions whether a new child should warm up expressions at once
     * @param secretFile  holds the secret of resources that join from elsewhere; null if none does
     * @return completes when it has joined; with a {@link Refusal} if that fails
     */
    synchronized CompletableFuture<RemoteMember> join(Deployment.Resource spec, boolean expressions, String secretFile) throws Refusal {
        if (closed) {
            throw new Refusal("state", "the coordinator is closed", null);
        }
        RemoteMember known = members.get(spec);
        if (known != null && !known.isLost()) {
            return known.joined();
        }
        RemoteMember member = new RemoteMember(spec, listener);
        if (isChild(spec)) {
            Wire wire = wire(spec.controlPort(), "127.0.0.1", secret);
            String token = Integer.toString(tokens++);
            byToken.put(token, member);
            ChildProcess child = starter.start(spec, ResourceMain.arguments(spec, wire.port(), token, expressions), secret);
            if (child != null) {
                member.started(child);
            }
        } else {
            if (secretFile == null || spec.controlPort() == 0) {
                throw new Refusal("deployment", "resource `" + spec.name() + "` at " + spec.host() + " joins from elsewhere, which"
                        + " needs its control_port in the deployment and a secret", "give --secret-file F, here and to `despina"
                        + " resource --name " + spec.name() + " --join THIS_HOST:PORT --secret-file F`");
            }
            wire(spec.controlPort(), "0.0.0.0", readSecret(secretFile));
            byToken.put(spec.name(), member);
        }
        members.put(spec, member);
        timer.schedule(() -> member.joined().completeExceptionally(new Refusal("resource_start", "resource `" + spec.name()
                + "` has not joined within " + JOIN_SECONDS + " s", null)), JOIN_SECONDS, TimeUnit.SECONDS);
        return member.joined();
    }

    static String readSecret(String file) throws Refusal {
        try {
            return Files.readString(Path.of(file)).trim();
        } catch (IOException e) {
            throw new Refusal("secret_file", "cannot read the secret file " + file + ": " + e.getMessage(), null);
        }
    }

    private Wire wire(int port, String host, String withSecret) throws Refusal {
        Wire open = wires.get(port);
        if (open != null) {
            return open;
        }
        try {
            SegmentPool pool = new SegmentPool(new Budget(CONTROL_BUDGET));
            WireOptions local = WireOptions.local(withSecret.getBytes(StandardCharsets.UTF_8), pool, 1, 1);
            Wire wire = Wire.open(new WireOptions(host, port, 1, local.secret(), null, pool, System::nanoTime, local.socketBytes()));
            wire.onControl(this::accept);
            wires.put(port, wire);
            return wire;
        } catch (IOException e) {
            throw new Refusal("port_in_use", "cannot listen on " + host + ":" + port + ": " + e.getMessage(),
                    "end what uses the port, or give the resource another control_port");
        }
    }

    /** A connection that has proved the secret: its first message says who it is. */
    private ControlHandler accept(ControlConnection connection) {
        return new ControlHandler() {
            private RemoteMember member;

            @Override
            public void message(byte[] json) {
                if (member != null) {
                    member.message(json);
                } else if (Message.decode(json) instanceof Message.Hello hello) {
                    member = expected(hello);
                    if (member == null) {
                        connection.close();
                    } else {
                        member.joined(connection, hello);
                    }
                }
            }

            @Override
            public void closed(String reason) {
                if (member != null) {
                    member.closed(reason);
                }
            }
        };
    }

    private synchronized RemoteMember expected(Message.Hello hello) {
        return byToken.remove(hello.token().isEmpty() ? hello.name() : hello.token());
    }

    private void heartbeat() {
        List<RemoteMember> all;
        synchronized (this) {
            members.values().removeIf(RemoteMember::isLost);
            all = new ArrayList<>(members.values());
        }
        all.forEach(m -> m.heartbeat(SILENCE_NANOS));
    }

    /** Ends every child, and every connection. */
    @Override
    public void close() {
        List<RemoteMember> all;
        List<Wire> open;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(members.values());
            open = new ArrayList<>(wires.values());
            members.clear();
            wires.clear();
        }
        all.forEach(RemoteMember::bye);
        all.forEach(m -> m.end(END_MILLIS));
        open.forEach(Wire::close);
    }
}
