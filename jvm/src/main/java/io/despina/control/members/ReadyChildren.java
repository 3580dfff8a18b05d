package io.despina.control.members;

import io.despina.placement.Deployment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
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
    /** What a resource has if its deployment says nothing. */
    private static final Deployment.Resource USUAL = Deployment.single("ready").resources().get(0);

    private final List<RemoteMember> standing = new ArrayList<>();
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

    boolean has(RemoteMember member) {
        return standing.contains(member);
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

    void add(RemoteMember member) {
        standing.add(member);
    }

    /** One could not be started. */
    void failed(long nanos) {
        notBefore = nanos + AGAIN * afterNanos;
    }

    /** Forgets those that are lost. */
    void tidy(long nanos) {
        if (standing.removeIf(each -> each.lost() != null)) {
            failed(nanos);
        }
    }

    /**
     * One that can be that child; it is ready no more. Null if there is none.
     *
     * @param host on which it must listen for its peers
     */
    RemoteMember take(Deployment.Resource spec, String host, long nanos) {
        boolean fits = Hosts.isChild(spec) && host.equals(HERE) && spec.memoryBytes() == USUAL.memoryBytes()
                && spec.processors().equals(USUAL.processors());
        for (Iterator<RemoteMember> all = standing.iterator(); fits && all.hasNext();) {
            RemoteMember one = all.next();
            if (one.lost() == null) {
                all.remove();
                notBefore = nanos + afterNanos;
                return one;
            }
        }
        return null;
    }
}
