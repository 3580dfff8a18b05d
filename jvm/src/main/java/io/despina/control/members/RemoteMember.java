package io.despina.control.members;

import io.despina.control.process.Child;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.MessageTypes;
import io.despina.control.protocol.Pulse;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.SurveyMessage;
import io.despina.placement.Deployment;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A resource in a JVM of its own: a child of this one, or joined from elsewhere. */
final class RemoteMember implements Member, ControlHandler {
    /** How long a lost child's exit code may take, which says more than a closed connection. */
    private static final long EXIT_MILLIS = 1_000;
    /** The same of an executor, whose end its machine's worker tells Spark first. */
    private static final long EXECUTOR_EXIT_MILLIS = 1_500;

    /** Written once more if it stands by and takes the part of another one, between two attempts. */
    private volatile Deployment.Resource spec;
    /** Written with it. */
    private volatile boolean stoodBy;
    private final Awaited awaited;
    private final Callback listener;
    private final Environment environment;
    private final CompletableFuture<RemoteMember> joined = new CompletableFuture<>();

    private final CompletableFuture<SurveyMessage.Surveyed> surveyed = new CompletableFuture<>();
    /** By resource. */
    private final Map<String, CompletableFuture<SurveyMessage.Reached>> reached = new ConcurrentHashMap<>();

    /** Written once, before {@link #joined} completes; null where there is none. */
    private volatile Child child;
    private volatile ControlConnection connection;
    private volatile Message.Hello hello;
    private final Pulse pulse;
    /** The number of jobs that use it; any thread. */
    private final AtomicInteger users = new AtomicInteger();
    /** Those of them that go on from a state without it. */
    private final AtomicInteger goingOn = new AtomicInteger();
    /** Nanoseconds; written by the last job to leave, before {@link #users} falls; read after that. */
    private volatile long idleSince;
    /** Guarded by this: why it is lost; null while it is connected or may join. */
    private Refusal lost;
    /** Guarded by this: whether nothing more will be known about the loss. */
    private boolean explained;
    /** Guarded by this: whether the listener has heard of the loss, which comes before its reason. */
    private boolean told;

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
        pulse = new Pulse(environment.clock());
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
        lose(how, true);
        explain(how);
    }

    /** Why the resource of this hello does not fit; null if it does. */
    Refusal misfit(Message.Hello message) {
        return Hosts.misplaced(spec, message.listen(), awaited.coordinator());
    }

    void joined(ControlConnection by, Message.Hello message) {
        hello = message;
        pulse.begin();
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
            lose(why.getMessage(), true);
        }
    }

    /** Whether it has joined and waits for the part of one that is lost. */
    boolean standsBy() {
        return Hosts.isSpare(spec) && connection != null && lost() == null;
    }

    /** Whether it stands by, and can take the part of that one. */
    boolean isSpareFor(Deployment.Resource lost) {
        return standsBy() && spec.start() == lost.start() && !Hosts.isSpare(lost);
    }

    /** From now on it is that resource. */
    void plays(Deployment.Resource part) {
        spec = part;
        stoodBy = true;
        if (child != null) {
            child.plays(part.name());
        }
    }

    /** What its machine can do, once it has joined; or why nobody will know. */
    CompletableFuture<SurveyMessage.Surveyed> survey() {
        send(new SurveyMessage.Survey());
        return surveyed;
    }

    /** What is between it and another one; or why nobody will know. */
    CompletableFuture<SurveyMessage.Reached> reach(RemoteMember peer) {
        CompletableFuture<SurveyMessage.Reached> awaited = reached.computeIfAbsent(peer.name(), any -> new CompletableFuture<>());
        send(new SurveyMessage.Reach(peer.name(), peer.dataHost(), peer.hello.dataPort()));
        return awaited;
    }

    /** Whether it has processors of its own. */
    boolean isBound() {
        return spec.processors().areNamed();
    }

    int cores() {
        return hello.cores();
    }

    /** Why it differs from the description of that resource; null if it fits. One that stood by may be larger. */
    Refusal misfit(Deployment.Resource wanted) {
        return stoodBy ? null : Hosts.misfit(wanted, memoryBytes(), hello.cores());
    }

    /** A job starts to use it. @param goesOn whether that goes on from a state if this is lost */
    void enter(boolean goesOn) {
        users.incrementAndGet();
        goingOn.addAndGet(goesOn ? 1 : 0);
    }

    /** A job ends its use. @param goesOn as of {@link #enter} */
    void leave(boolean goesOn) {
        goingOn.addAndGet(goesOn ? -1 : 0);
        idleSince = nanos();
        users.decrementAndGet();
    }

    /**
     * Whether it has been started here, and no job has had it for so many nanoseconds. One in an executor holds a slot, and
     * others may wait for processors that one has for itself.
     */
    boolean isIdle(long nanos) {
        return !Hosts.isJoining(spec) && users.get() == 0 && (Hosts.isExecutor(spec) || keepsProcessors()
                || nanos() - idleSince >= nanos);
    }

    /** Whether no other may have one of its processors. */
    boolean keepsProcessors() {
        return spec.processors().use().isExclusive();
    }

    @Override
    public void message(byte[] json) {
        Message message = MessageTypes.decode(json);
        if (message instanceof Message.Heartbeat beat) {
            pulse.beat(beat.pauseMillis());
        } else if (message instanceof SurveyMessage.Surveyed found) {
            pulse.heard();
            surveyed.complete(found);
        } else if (message instanceof SurveyMessage.Reached found) {
            pulse.heard();
            reached.get(found.peer()).complete(found);
        } else {
            pulse.heard();
            listener.received(this, message);
        }
    }

    @Override
    public void closed(String reason) {
        if (child == null) {
            lose(reason, true);
        } else if (lost() == null) {
            // its exit code, which says more, should follow; a child without a connection is useless and is ended
            lose(reason, false);
            environment.timer().schedule(() -> explain(reason), Hosts.isExecutor(spec) ? EXECUTOR_EXIT_MILLIS : EXIT_MILLIS,
                    TimeUnit.MILLISECONDS);
        }
    }

    /** Every {@link Pulse#EVERY_MILLIS}: ends the connection if nothing was heard for too long; else sends a heartbeat. */
    void heartbeat() {
        if (connection == null) {
            return;
        }
        long late = pulse.look(goingOn.get() > 0, connection);
        if (pulse.isLost()) {
            lose("it " + pulse.words(), true);
        } else {
            send(new Message.Heartbeat(late));
        }
    }

    /** @param all whether nothing more will be known; else {@link #explain} follows */
    private void lose(String reason, boolean all) {
        Refusal why = why(reason);
        synchronized (this) {
            if (lost != null) {
                return;
            }
            lost = why;
            explained = all;
        }
        if (connection != null) {
            connection.close();
        }
        if (all && child != null) {
            child.kill();
        }
        surveyed.completeExceptionally(why);
        reached.values().forEach(each -> each.completeExceptionally(why));
        listener.lost(this, why);
        Refusal better;
        synchronized (this) {
            told = true;
            better = explained ? lost : null;
        }
        if (better != null) {
            listener.explained(this, why, better);
        }
    }

    /** The reason for its loss, as far as it will ever be known. */
    private void explain(String reason) {
        Refusal before;
        Refusal better = why(reason);
        boolean isTold;
        synchronized (this) {
            if (explained) {
                return;
            }
            before = lost;
            lost = better;
            explained = true;
            isTold = told;
        }
        child.kill();
        if (isTold) {       // else whoever tells of the loss tells this too
            listener.explained(this, before, better);
        }
    }

    private Refusal why(String reason) {
        return new Refusal("resource_lost", "resource `" + name() + "` was lost: " + reason, hint());
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

    String dataHost() {
        return awaited.dataHost().isEmpty() ? hello.listen() : awaited.dataHost();
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
                explained = true;
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
