package io.despina.control.resource;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.MessageTypes;
import io.despina.control.protocol.Pulse;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.SurveyMessage;
import io.despina.link.Attempt;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * A resource's session with one coordinator, from its hello until one of them ends it. The owner calls {@link #beat} every {@link
 * Pulse#EVERY_MILLIS}.
 */
public final class ResourceSession implements ControlHandler, ToCoordinator {
    /** How the session ended. */
    public enum End { TOLD, REFUSED, LOST }

    /** Observes the session. Called on the connection's thread. */
    public interface Observer {

        void says(String words);

        /** The coordinator refused the resource. */
        void refused(Refusal why);

        /** @param why null if it was already reported */
        void lost(String why);
    }

    private final ResourceAgent agent;
    private final Pulse pulse;
    private final Observer observer;
    private final CompletableFuture<End> ended = new CompletableFuture<>();
    /** Written once, before the first message is sent or received. */
    private volatile ControlConnection connection;
    /** Written by the connection's thread, read by any. */
    private volatile boolean deployed;
    /** The attempts here whose jobs keep a state, so that they go on elsewhere; written by the connection's thread. */
    private final Set<Attempt> goingOn = ConcurrentHashMap.newKeySet();
    /** Used only by the connection's thread. */
    private boolean joined;

    /** @param clock nanoseconds, monotonic */
    public ResourceSession(ResourceAgent agent, LongSupplier clock, Observer observer) {
        this.agent = agent;
        pulse = new Pulse(clock);
        this.observer = observer;
    }

    /** Sends the hello. */
    public void begin(ControlConnection over, Message.Hello hello) {
        connection = over;
        agent.speaksTo(this);
        over.send(hello.encode());
        // silence counts from here, because starting may take longer on a busy machine
        pulse.begin();
    }

    /** Completes at the end of the session. */
    public CompletableFuture<End> ended() {
        return ended;
    }

    /** Whether a job was deployed. */
    public boolean isDeployed() {
        return deployed;
    }

    /** Sends a heartbeat, and checks that the coordinator is alive. */
    public void beat() {
        agent.hasOrphans();     // those whose time is up end, whatever they wait for
        if (ended.isDone()) {
            return;
        }
        connection.send(new Message.Heartbeat(pulse.look(!goingOn.isEmpty(), connection)).encode());
        if (pulse.isLost()) {
            lose("the coordinator " + pulse.words());
        }
    }

    /** Beats until it has ended. */
    public End serve() throws InterruptedException {
        while (true) {
            try {
                return ended.get(Pulse.EVERY_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                beat();
            } catch (ExecutionException e) {
                throw new AssertionError("it ends one way or another", e);
            }
        }
    }

    /** Ends the session, for a reason on this side. */
    public void lose(String why) {
        if (ended.complete(End.LOST)) {
            observer.lost(why);
        }
    }

    /** Sends nothing after the end: jobs that are killed then would seem to have finished. */
    @Override
    public void tell(Message message) {
        if (ended.isDone()) {
            return;
        }
        if (message instanceof Message.Ready ready) {
            observer.says("hosts " + String.join(", ", agent.hosts(ready.attempt())) + " of " + ready.attempt());
        }
        connection.send(message.encode());
    }

    @Override
    public void tellInTurn(Message message) throws InterruptedException {
        if (ended.isDone()) {
            return;
        }
        connection.sendInTurn(message.encode());
    }

    @Override
    public void message(byte[] json) {
        if (ended.isDone()) {       // what comes late is of a coordinator that is lost, and jobs may have another
            return;
        }
        Message message = MessageTypes.decode(json);
        if (message instanceof Message.Heartbeat beat) {
            pulse.beat(beat.pauseMillis());
        } else {
            pulse.heard();
        }
        if (!joined && !(message instanceof Message.Refused)) {
            joined = true;
            observer.says("joined its coordinator");
        }
        if (message instanceof Message.Bye bye) {
            // one that leaves while jobs wait for another is not the one that has them
            String lost = bye.lost() == null && agent.hasOrphans() ? "it has left" : bye.lost();
            observer.says(lost == null ? "ended by its coordinator" : "lost its coordinator: " + lost);
            ended.complete(lost == null ? End.TOLD : End.LOST);
        } else if (message instanceof Message.Refused no) {
            if (ended.complete(End.REFUSED)) {
                observer.refused(new Refusal(no.rule(), no.message(), no.hint()));
            }
        } else if (message instanceof Message.Rehearse rehearse) {
            agent.rehearse(rehearse.deploy());
        } else if (message instanceof SurveyMessage asked) {
            agent.survey(asked);
        } else if (message instanceof Message.OfJob ofJob) {
            deployed = true;
            boolean keeps = message instanceof Message.Deploy deploy && deploy.state() != null;
            if (keeps || message instanceof Message.Adopt) {
                goingOn.add(ofJob.attempt());
            } else if (message instanceof Message.Forget) {
                goingOn.remove(ofJob.attempt());
            }
            agent.received(ofJob);
        }
    }

    @Override
    public void closed(String reason) {
        lose("the connection to the coordinator has ended: " + reason);
    }
}
