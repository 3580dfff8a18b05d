package io.despina.control.coordinator;

import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.StagedPart;
import io.despina.link.Attempt;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The epochs of rows that programs commit to one source. Whether an epoch counts is decided here alone, once: its resources only
 * hear of it. So a driver that dies at any moment leaves an epoch either seen by all instances or by none. Thread-safe; the
 * resources hear of decisions in their order.
 */
final class StagedInput {
    /** Queries whose last epochs are known; of more, the ones that have committed nothing for the longest time are forgotten. */
    static final int MOST_QUERIES = 4096;
    private static final byte[] NOTHING = {};
    /** Stands among queries for all of them, once they have ended the input. No query that comes again has that name. */
    private static final String ALL = "";

    private final Attempt attempt;
    private final String operator;
    private final Set<String> resources;
    private final int instances;

    // all below: guarded by this
    private final Map<String, Long> last = new LinkedHashMap<>();
    /** By open run, the last epoch that it has thrown away. */
    private final Map<String, Long> thrownAway = new HashMap<>();
    private final List<Member> hosts = new ArrayList<>();
    /** Whether nothing follows; told to the hosts once there are any. */
    private boolean ended;
    private boolean closed;

    /** @param resources by instance */
    StagedInput(Attempt attempt, String operator, Collection<String> resources) {
        this.attempt = attempt;
        this.operator = operator;
        this.resources = new HashSet<>(resources);
        instances = resources.size();
    }

    String operator() {
        return operator;
    }

    int instances() {
        return instances;
    }

    /** By query, its last epoch that counts. */
    synchronized Map<String, Long> last() {
        return Map.copyOf(last);
    }

    /** By query, its last epoch that counts since an earlier attempt. */
    synchronized void goOnFrom(Map<String, Long> before) {
        last.putAll(before);
        ended |= last.containsKey(ALL);
    }

    /** The job is running. */
    synchronized void start(Collection<Member> members) {
        members.stream().filter(each -> resources.contains(each.name())).forEach(hosts::add);
        if (ended) {
            tellEnd();
        }
    }

    /** Rows of that run are taken from now on. */
    synchronized void open(String run) {
        tell(run, Message.Fate.OPEN, 0, List.of());
    }

    /** What the run has not committed is thrown away. */
    synchronized void close(String run) {
        thrownAway.remove(run);
        tell(run, Message.Fate.CLOSE, 0, List.of());
    }

    /**
     * An epoch that was thrown away may come again in another run of its query only: the resources hear of it later than the
     * driver, and would throw away what the same run had staged for it meanwhile.
     *
     * @throws Refusal if the epoch can be neither committed nor known as committed
     */
    synchronized ProgramMessage.Decided decide(String run, ProgramMessage.Decide asked) throws Refusal {
        Long before = last.get(asked.query());
        boolean repeated = before != null && asked.epoch() <= before;
        if (asked.ends() > 0) {
            return end(asked, repeated);
        }
        if (!asked.keeps() || repeated) {
            thrownAway.merge(run, asked.epoch(), Math::max);
            tell(run, Message.Fate.ABORT, asked.epoch(), List.of());
            return new ProgramMessage.Decided(repeated, before == null ? -1 : before);
        }
        refuseOver();
        if (asked.epoch() <= thrownAway.getOrDefault(run, -1L)) {
            throw new Refusal("epoch", "the query has thrown epoch " + asked.epoch() + " away, and commits it",
                    "start the query again: then the epoch comes again");
        }
        refuseGap(asked, before == null ? -1 : before);
        tell(run, Message.Fate.COMMIT, asked.epoch(), asked.parts());
        if (!asked.query().isEmpty()) {
            remember(asked.query(), asked.epoch());
        }
        return new ProgramMessage.Decided(false, asked.epoch());
    }

    private void refuseOver() throws Refusal {
        if (closed || ended) {
            throw new Refusal("state", "operator `" + operator + "` of " + attempt + " takes no rows any more: "
                    + (ended ? "its input was ended" : "the job is ending, or has ended"), null);
        }
    }

    private void remember(String query, long epoch) {
        last.remove(query);
        last.put(query, epoch);
        if (last.size() > MOST_QUERIES) {
            last.remove(last.keySet().iterator().next());
        }
    }

    /**
     * One of several queries has ended. That is kept as its epoch is, so that the next attempt knows who has said so; and that
     * all have, because the sources may send on that end after the epoch by which the last of them was answered.
     */
    private ProgramMessage.Decided end(ProgramMessage.Decide asked, boolean repeated) throws Refusal {
        if (repeated || ended) {
            return new ProgramMessage.Decided(true, ProgramMessage.Decide.AT_END);
        }
        refuseOver();
        remember(asked.query(), asked.epoch());
        if (last.values().stream().filter(epoch -> epoch == ProgramMessage.Decide.AT_END).count() < asked.ends()) {
            return new ProgramMessage.Decided(true, ProgramMessage.Decide.AT_END);
        }
        ended = true;
        remember(ALL, ProgramMessage.Decide.AT_END);
        tell("", Message.Fate.END, 0, List.of());
        return new ProgramMessage.Decided(false, ProgramMessage.Decide.AT_END);
    }

    private void refuseGap(ProgramMessage.Decide asked, long before) throws Refusal {
        if (asked.epoch() > before + 1 && !asked.skips()) {
            throw new Refusal("epoch", "the query goes on with epoch " + asked.epoch() + ", and " + attempt + " has had "
                    + (before < 0 ? "none of its epochs" : "those up to " + before) + ": rows that went to another run of the job"
                    + " would be missing here",
                    "take another checkpointLocation, or option(\"onRestart\", \"skip\") if that is what you want");
        }
    }

    /** Nothing follows: the source ends when it has taken what is committed. */
    synchronized void end() {
        if (!ended && !closed) {
            ended = true;
            tellEnd();
        }
    }

    private void tellEnd() {
        hosts.forEach(host -> host.send(new Message.Supply(attempt, operator, 0, 0, NOTHING, true)));
    }

    /** The job is ending: nothing more is committed. */
    synchronized void close() {
        closed = true;
    }

    private void tell(String run, String what, long epoch, List<StagedPart> parts) {
        if (!closed) {
            hosts.forEach(host -> host.send(new Message.Fate(attempt, operator, run, what, epoch, parts)));
        }
    }
}
