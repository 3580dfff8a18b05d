package io.despina.control.members;

import io.despina.control.protocol.Refusal;
import io.despina.operator.Reason;
import io.despina.placement.Deployment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Children that were started ahead, and that no job has yet: a job takes one in the place of a child of that size, and need not
 * wait for its start. Each is of one job alone. Guarded by the lock of its {@link Members}.
 */
final class ReadyChildren {
    /** No name in a deployment begins so. */
    private static final String NAME = "~ready-";
    private static final String HERE = "127.0.0.1";
    /** How much later the next is started if one was lost, or did not start: it may be lost likewise. */
    private static final int AGAIN = 10;
    /** How long the start of one may take before a job does without it: a start takes a second or two, and then it hangs. */
    private static final long STARTS_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** What a resource has if its deployment says nothing. */
    private static final Deployment.Resource USUAL = Deployment.single("ready").resources().get(0);

    /** When each was started, in their order. */
    private final Map<RemoteMember, Long> standing = new LinkedHashMap<>();
    private final long afterNanos;
    private int wanted;
    private int started;
    private long notBefore;

    /** @param afterMillis how long jobs that start have the machine for themselves, before one is started */
    ReadyChildren(long afterMillis) {
        afterNanos = TimeUnit.MILLISECONDS.toNanos(afterMillis);
    }

    /** @param nanos of the environment's clock, as everywhere here */
    void want(int count, long nanos) {
        wanted = count;
        notBefore = nanos + afterNanos;
    }

    /** Whether it is started to wait for a job. */
    static boolean isOne(Deployment.Resource spec) {
        return spec.name().startsWith(NAME);
    }

    boolean has(RemoteMember member) {
        return standing.containsKey(member);
    }

    /** Whether one is to be started now. */
    boolean isShort(long nanos) {
        return standing.size() < wanted && nanos - notBefore >= 0;
    }

    /** What to start; its host is where it listens. */
    Deployment.Resource next() {
        started++;
        return new Deployment.Resource(NAME + started, USUAL.start(), HERE, 0, USUAL.memory(), USUAL.processors(),
                USUAL.user(), USUAL.place());
    }

    void add(RemoteMember member, long nanos) {
        standing.put(member, nanos);
    }

    /** One could not be started, or is lost. */
    void failed(Refusal why, long nanos) {
        notBefore = nanos + AGAIN * afterNanos;
        System.err.println("despina: no child is ready, and another follows: " + Reason.visible(why.getMessage()));
    }

    /** Forgets those that are lost, as one that has not joined in time is. */
    void tidy(long nanos) {
        List<RemoteMember> lost = standing.keySet().stream().filter(each -> each.lost() != null).toList();
        lost.forEach(each -> failed(each.lost(), nanos));
        standing.keySet().removeAll(lost);
    }

    /**
     * One that can be that child; it is ready no more. Null if there is none.
     *
     * @param host on which it must listen for its peers
     */
    RemoteMember take(Deployment.Resource spec, String host, long nanos) {
        if (!Hosts.isChild(spec) || !host.equals(HERE) || spec.memoryBytes() != USUAL.memoryBytes()
                || !spec.processors().equals(USUAL.processors())) {
            return null;
        }
        RemoteMember taken = standing.entrySet().stream().filter(each -> isUsable(each.getKey(), nanos - each.getValue()))
                .map(Map.Entry::getKey).findFirst().orElse(null);
        if (taken != null) {
            standing.remove(taken);
            notBefore = nanos + afterNanos;
        }
        return taken;
    }

    private static boolean isUsable(RemoteMember one, long ageNanos) {
        return one.lost() == null && (one.joined().isDone() || ageNanos < STARTS_NANOS);
    }
}
