package io.despina.control.resource;

import io.despina.control.protocol.ControlMessage;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.link.Attempt;
import io.despina.spec.ControlCommand;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a job here has been told that is in no state folder, for a coordinator that takes its attempt over. Where that is more
 * than such a one could go on with, it says why, and the job goes on as its next attempt. Thread-safe.
 */
final class AdoptableJob {
    private final Attempt attempt;
    // all below: guarded by this
    private String planDigest;
    private long lostMillis;
    private boolean started;
    private long barrier;
    private long command;
    private long move;
    /** The first epoch that has what was moved last. */
    private long moved;
    private String stop;
    private String over;
    private final Map<String, String> schedules = new TreeMap<>();
    private Refusal failure;
    /** From its answer until it is told to start: what is told meanwhile would be told twice. */
    private boolean waits;

    AdoptableJob(Attempt attempt) {
        this.attempt = attempt;
    }

    /** Its coordinator has told it that. */
    synchronized void note(Message message) {
        if (message instanceof Message.Deploy deploy) {
            planDigest = deploy.planDigest();
            lostMillis = deploy.state() == null ? 0 : deploy.state().lostMillis();
        } else if (message instanceof Message.Barrier next) {
            barrier = next.epoch();
        } else if (message instanceof Message.Stop told) {
            stop = told.mode();
            over = told.mode().equals(Message.Stop.ABORT) || told.mode().equals(Message.Stop.NOW) ? "it ends at once" : over;
        } else if (message instanceof Message.Complete complete && complete.isLast() || message instanceof Message.Conclude) {
            over = "all of it is done";
        } else if (message instanceof Message.SetSchedule set) {
            if (set.schedule() == null || set.schedule().isNull()) {
                schedules.remove(set.operator());
            } else {
                schedules.put(set.operator(), Json.text(set.schedule()));
            }
        } else if (message instanceof ControlMessage.Tell tell) {
            command = Math.max(command, tell.number());
            if (tell.command().equals(ControlCommand.MOVE.word())) {
                move = Math.max(move, Long.parseLong(tell.argument().split(" ", 3)[1]));
                moved = barrier + 1;
            }
        }
    }

    /** How long it goes on without a coordinator; 0 for not at all. */
    synchronized long lostMillis() {
        return lostMillis;
    }

    /** @return whether it is the first time: a coordinator that has taken it over says so, too */
    synchronized boolean starts() {
        boolean first = !started;
        started = true;
        waits = false;
        return first;
    }

    /** Whether it is taken over, and not started by that coordinator yet. */
    synchronized boolean waits() {
        return waits;
    }

    /** Its coordinator may not hear of that. */
    synchronized void failed(Refusal why) {
        failure = why;
    }

    /**
     * Another coordinator asks.
     *
     * @param from the last complete epoch
     * @throws Refusal if it cannot go on with it
     */
    synchronized Message.Adopted adopted(long from) throws Refusal {
        String no = failure != null ? null : !started ? "it has not been started" : over != null ? over
                : moved > from ? "keys have moved since epoch " + from : null;
        if (failure != null || no != null) {
            throw failure != null ? failure : new Refusal("attempt", "attempt " + attempt.number() + " of job " + attempt.job()
                    + " cannot be taken over: " + no, null);
        }
        waits = true;
        return new Message.Adopted(attempt, planDigest, barrier, new Message.Adopted.Numbers(command, move), stop,
                new TreeMap<>(schedules));
    }
}
