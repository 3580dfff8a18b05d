package io.despina.control.members;

import io.despina.control.process.Child;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.placement.Deployment;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A resource in a JVM of its own: a child of this one, or joined from elsewhere. */
final class RemoteMember implements Member, ControlHandler {
    /** How long to wait for a lost child's exit code, which says more than a closed connection. */
    private static final long EXIT_MILLIS = 1_000;
    /** The same of an executor, whose end its machine's worker tells Spark first. */
    private static final long EXECUTOR_EXIT_MILLIS = 1_500;

    private final Deployment.Resource spec;
    private final Awaited awaited;
    private final Callback listener;
    private final Environment environment;
    private final CompletableFuture<RemoteMember> joined = new CompletableFuture<>();

    /** Written once, before {@link #joined} completes; null where there is none. */
    private volatile Child child;
    private volatile ControlConnection connection;
    private volatile Message.Hello hello;
    /** Nanoseconds; written by the connection's thread, read by the heartbeat's. */
    private volatile long lastHeard;
    /** The number of jobs that use it; any thread. */
    private final AtomicInteger users = new AtomicInteger();
    /** Nanoseconds; written by the last job to leave, before {@link #users} falls; read after that. */
    private volatile long idleSince;
    /** Guarded by this: why it is lost; null while it is connected or may join. */
    private Refusal lost;

    /**
     * How to wait for it.
     *
     * @param dataHost    its host for peers; empty if it reports that
     * @param command     the command that starts it elsewhere; null for a child
     * @param coordinator the coordinator's address
     */
    record Awaited(String dataHost, String command, String coordinator) {
    }

    RemoteMember(Deployment.Resource spec, Awaited awaited, Callback listener, Environment environment) {
        this.spec = spec;
        this.awaited = awaited;
        this.listener = listener;
        this.environment = environment;
    }

    private long nanos() {
        return environment.clock().getAsLong();
    }

    /** Completes when it has joined, or with a {@link Refusal}. */
    CompletableFuture<RemoteMember> joined() {
        return joined;
    }

    /** The command to type elsewhere so that it joins; null if there is none, or it has joined. */
    String awaited() {
        return joined.isDone() ? null : awaited.command();
    }

    void started(Child process) {
        child = process;
        process.onExit().thenAccept(this::ended);
    }

    private void ended(String how) {
        joined.completeExceptionally(new Refusal("resource_start", "resource `" + name() + "` did not start: " + how,
                Hosts.isExecutor(spec) ? "see Spark's UI, and the standard error of the executor"
                        : "see its last output; on an old Java or too little memory, run `despina doctor`"));
        lose(how);
    }

    /** Why the resource of this hello does not fit; null if it does. */
    Refusal misfit(Message.Hello message) {
        return Hosts.misplaced(spec, message.listen(), awaited.coordinator());
    }

    void joined(ControlConnection by, Message.Hello message) {
        hello = message;
        lastHeard = nanos();
        synchronized (this) {
            if (lost == null) {
                connection = by;
            }
        }
        if (connection == null) {
            by.close();
        } else {
            joined.complete(this);
        }
    }

    /** Ends waiting, unless it has joined. */
    void giveUp(Refusal why) {
        if (joined.completeExceptionally(why)) {
            lose(why.getMessage());
        }
    }

    /** A job starts to use it. */
    void enter() {
        users.incrementAndGet();
    }

    /** A job ends its use. */
    void leave() {
        idleSince = nanos();
        users.decrementAndGet();
    }

    /** Whether it has been started here, and no job has had it for so many nanoseconds; one in an executor holds a slot. */
    boolean isIdle(long nanos) {
        return !Hosts.isJoining(spec) && users.get() == 0 && (Hosts.isExecutor(spec) || nanos() - idleSince >= nanos);
    }

    @Override
    public void message(byte[] json) {
        lastHeard = nanos();
        Message message = Message.decode(json);
        if (!(message instanceof Message.Heartbeat)) {
            listener.received(this, message);
        }
    }

    @Override
    public void closed(String reason) {
        if (child == null) {
            lose(reason);
        } else if (lost() == null) {
            // its exit code, which says more, should follow; a child without a connection is useless and is ended
            child.onExit().thenAccept(this::lose);
            environment.timer().schedule(() -> lose(reason), Hosts.isExecutor(spec) ? EXECUTOR_EXIT_MILLIS : EXIT_MILLIS,
                    TimeUnit.MILLISECONDS);
        }
    }

    /** Ends the connection if nothing was heard for {@code nanos}; else sends a heartbeat. */
    void heartbeat(long nanos) {
        if (connection == null) {
            return;
        }
        if (nanos() - lastHeard > nanos) {
            lose("it sent nothing for " + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s");
        } else {
            send(new Message.Heartbeat());
        }
    }

    private void lose(String reason) {
        Refusal why = new Refusal("resource_lost", "resource `" + name() + "` was lost: " + reason, hint());
        synchronized (this) {
            if (lost != null) {
                return;
            }
            lost = why;
        }
        if (connection != null) {
            connection.close();
        }
        if (child != null) {
            child.kill();
        }
        listener.lost(this, why);
    }

    private String hint() {
        String memory = "one that ran out of memory needs a larger ";
        if (Hosts.isExecutor(spec)) {
            return "the standard error of the executor, in Spark's UI, may say more; " + memory + "spark.executor.memory";
        }
        return Hosts.isChild(spec) ? memory + "memory_bytes in the deployment"
                : "its own standard error, on " + dataHost() + ", may say why; " + memory + "--memory";
    }

    @Override
    public synchronized Refusal lost() {
        return lost;
    }

    @Override
    public String name() {
        return spec.name();
    }

    @Override
    public long pid() {
        return hello == null ? child == null ? 0 : child.pid() : hello.pid();
    }

    @Override
    public long memoryBytes() {
        return hello.memoryBytes();
    }

    @Override
    public InetSocketAddress dataAddress() {
        return InetSocketAddress.createUnresolved(dataHost(), hello.dataPort());
    }

    private String dataHost() {
        return awaited.dataHost().isEmpty() ? hello.listen() : awaited.dataHost();
    }

    int cores() {
        return hello.cores();
    }

    @Override
    public void send(Message message) {
        connection.send(message.encode());
    }

    /**
     * Tells it to end.
     *
     * @param abandoned see {@link Message.Bye#lost}
     */
    void bye(String abandoned) {
        synchronized (this) {
            if (lost == null) {
                lost = new Refusal("resource_lost", "resource `" + name() + "` has been ended", null);
            }
        }
        if (child != null) {
            child.leave();
        }
        if (connection != null) {
            send(new Message.Bye(abandoned));
        }
    }

    /** Waits for its end if it was started here, {@code millis} at most; then ends it. A task that has not joined ends now. */
    void end(long millis) {
        if (child != null) {
            child.end(connection == null && Hosts.isExecutor(spec) ? 0 : millis);
        }
        if (connection != null) {
            connection.close();
        }
    }
}
