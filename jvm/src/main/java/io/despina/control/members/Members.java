package io.despina.control.members;

import io.despina.control.protocol.Credentials;
import io.despina.control.protocol.Pulse;
import io.despina.control.protocol.Refusal;
import io.despina.link.Attempt;
import io.despina.placement.Deployment;
import io.despina.wire.handshake.Secret;
import io.despina.wire.handshake.Tls;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * The resources of the coordinator besides its own JVM. Starts children, lets others join, checks that they are alive, and keeps
 * them for the next job that needs the same ones; children only for a while.
 */
public final class Members implements AutoCloseable {
    /** Beats from one look at who is idle or lost to the next: a second. */
    private static final int TIDY_BEATS = 5;
    private static final long END_MILLIS = 3_000;

    /**
     * Who starts resources.
     *
     * @param children  on this machine
     * @param executors null if this JVM is not the driver of a Spark application
     */
    public record Starters(Starter children, Executors executors) {
    }

    /**
     * How long to wait for resources, and to keep them.
     *
     * @param startMillis from a child's start to its first message
     * @param idleMillis how long a child stays without a job
     * @param readyMillis see {@link #keepReady}: how long after a job's start
     */
    public record Patience(long startMillis, long idleMillis, long readyMillis) {
        public static final Patience USUAL = new Patience(60_000, 30_000, 3_000);

        public Patience(long startMillis, long idleMillis) {
            this(startMillis, idleMillis, USUAL.readyMillis);
        }
    }

    /**
     * The resources that a job needs.
     *
     * @param attempt    that asks
     * @param afterLoss  of one of them
     * @param compiling  names of resources that should warm up expressions at once, if they are new children
     * @param secretFile holds the common secret; null if it is in the environment, or if no resource joins from elsewhere
     * @param tls        folder of its files; null for plain TCP
     * @param listen     the host at which resources join
     * @param waiting    for what is not there
     */
    public record Request(Attempt attempt, List<Deployment.Resource> resources, AfterLoss afterLoss, Set<String> compiling,
            String secretFile, String tls, String listen, Waiting waiting) {
    }

    /**
     * The identity of a deployment's resource, without its place in the file.
     *
     * @param job that has it alone; null if others may use it
     */
    private record Key(ControlAddress at, String name, boolean child, String host, long memoryBytes,
            Deployment.Processors processors, String job) {

        static Key of(ControlAddress at, Deployment.Resource spec, Attempt attempt) {
            boolean child = Hosts.isChild(spec);
            return new Key(at, spec.name(), child, spec.host(), child ? spec.memoryBytes() : 0,
                    child ? spec.processors() : null, Hosts.isOfOneJob(spec) ? attempt.job() : null);
        }
    }

    /** What a job asks for, and who starts what is not there. */
    private record Starting(Request request, Starter starter) {
    }

    private final Member.Callback listener;
    private final Environment environment;
    private final Starters starters;
    private final Patience patience;

    /** Held while a job's children start, which may take many seconds. Nothing that others wait for may need it. */
    private final ReentrantLock lock = new ReentrantLock();
    /** Written under the lock, read by any thread. */
    private final Map<Key, RemoteMember> members = new ConcurrentHashMap<>();

    // guarded by the lock
    private final ControlPorts ports;
    private final MemberStarts starts;
    private final ReadyChildren ready;
    /** Of ports that no one else's secret concerns. No other process has it: those of jobs are made of it. */
    private final String ownSecret = Secret.random();
    /** Where children join that no one else's files concern. */
    private final ControlAddress own = new ControlAddress("127.0.0.1", 0, ownSecret, null);
    private boolean closed;
    /** Of the timer's thread. */
    private int beats;

    public Members(Member.Callback listener, Environment environment, Starters starters, Patience patience) {
        this.starters = starters;
        this.listener = listener;
        this.environment = environment;
        this.patience = patience;
        ports = new ControlPorts(environment);
        ready = new ReadyChildren(patience.readyMillis());
        starts = new MemberStarts(listener, environment, patience.startMillis());
        environment.timer().scheduleAtFixedRate(() -> guarded(this::heartbeat), Pulse.EVERY_MILLIS, Pulse.EVERY_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    /** Whether resources of this kind find on this machine what is kept for them here. */
    public boolean areNear(List<Deployment.Resource> resources) {
        Executors executors = starters.executors();
        return resources.stream().allMatch(each -> Hosts.isChild(each)
                || Hosts.isExecutor(each) && executors != null && executors.areNear());
    }

    /** What a call of {@link #lease} waits for at this moment; empty for nothing that could be told. */
    public String waitingFor() {
        return starters.executors() == null ? "" : starters.executors().waitingFor();
    }

    /** The requested resources: existing ones, new children, or those that join under these names. */
    public Lease lease(Request request) throws Refusal {
        lock.lock();
        try {
            return leased(request);
        } finally {
            lock.unlock();
        }
    }

    private Lease leased(Request request) throws Refusal {
        if (closed) {
            throw new Refusal("state", "the coordinator is closed", null);
        }
        String given = Credentials.secret(request.secretFile());
        Hosts.check(request.resources(), request.listen(), given != null);
        Tls tls = Credentials.tls(request.tls());
        String secret = given == null ? ownSecret : given;
        boolean inExecutors = Hosts.areExecutors(request.resources(), starters.executors());
        boolean near = request.resources().stream().allMatch(Hosts::isChild);
        String listen = near ? "127.0.0.1" : inExecutors ? starters.executors().listen() : request.listen();
        ControlAddress door = new ControlAddress(inExecutors ? listen : request.listen(), 0, secret, request.tls());
        String reached = inExecutors ? starters.executors().reached() : Hosts.known(request.listen());
        String jobs = given == null ? Secret.of(request.attempt().job(), ownSecret) : null;
        Lease lease = new Lease(new Lease.Access(door, reached, jobs, !inExecutors), request.afterLoss().goesOn(),
                inExecutors ? () -> environment.timer().execute(() -> guarded(this::tidyIfFree)) : () -> { });
        Map<Key, Deployment.Resource> wanted = new LinkedHashMap<>();
        request.resources().forEach(spec -> wanted.put(Key.of(new ControlAddress(listen, spec.controlPort(), secret,
                request.tls()), spec, request.attempt()), spec));
        try {
            Starter starter = inExecutors ? room(request, wanted) : starters.children();
            Starting starting = new Starting(request, starter);
            for (Map.Entry<Key, Deployment.Resource> one : wanted.entrySet()) {
                lease.add(member(one.getKey(), one.getValue(), tls, starting), one.getValue());
            }
            for (Deployment.Resource spare : Hosts.spares(request.resources(), request.afterLoss().spares())) {
                Key key = Key.of(new ControlAddress(listen, 0, secret, request.tls()), spare, request.attempt());
                lease.addSpare(member(key, spare, tls, starting));
            }
        } catch (Refusal e) {
            lease.release();
            throw e;
        }
        return lease;
    }

    /** In executors, for those of the wanted ones that are not there from the attempt before. */
    private Starter room(Request request, Map<Key, Deployment.Resource> wanted) throws Refusal {
        tidy();
        return starters.executors().room(request.attempt(), request.waiting().forSlots(), wanted.entrySet().stream()
                .filter(one -> !members.containsKey(one.getKey())).map(Map.Entry::getValue).toList());
    }

    private RemoteMember member(Key key, Deployment.Resource spec, Tls tls, Starting starting) throws Refusal {
        ControlAddress at = key.at();
        Request request = starting.request();
        RemoteMember known = members.get(key);
        if (known != null && known.lost() == null) {
            known.enter(request.afterLoss().goesOn());
            return known;
        }
        RemoteMember there = standing(key, spec, request);
        if (there != null) {
            there.plays(spec);
            there.enter(request.afterLoss().goesOn());
            members.put(key, there);
            return there;
        }
        dismissNamesake(spec);
        ControlPort port = ports.at(at, tls);
        port.serves(request.resources());
        RemoteMember member = Hosts.isJoining(spec)
                ? starts.joining(spec, port, at, request.secretFile(), request.waiting().joinMillis())
                : starts.started(spec, port, at, way(spec, at, starting));
        member.enter(request.afterLoss().goesOn());
        members.put(key, member);
        return member;
    }

    /** A process that was started for no part yet, and takes this one; null if there is none. */
    private RemoteMember standing(Key key, Deployment.Resource spec, Request request) {
        RemoteMember spare = spare(request.attempt(), spec);
        if (spare != null || !key.at().equals(own)) {
            return spare;
        }
        RemoteMember taken = ready.take(spec, Hosts.ofChild(request.resources(), request.listen()), now());
        members.values().remove(taken);
        return taken;
    }

    private long now() {
        return environment.clock().getAsLong();
    }

    /** Keeps so many children ready for jobs, each of the size that a resource has by default. One comes after the other. */
    public void keepReady(int count) {
        lock.lock();
        try {
            ready.want(count, now());
        } finally {
            lock.unlock();
        }
    }

    private void startReady() {
        lock.lock();
        try {
            if (!closed && ready.isShort(now())) {
                Deployment.Resource next = ready.next();
                RemoteMember member = starts.started(next, ports.at(own, null), own,
                        new MemberStarts.Way(starters.children(), next.host(), next.host(), true, Secret.random()));
                members.put(Key.of(own, next, null), member);
                ready.add(member, now());
            }
        } catch (Refusal no) {
            ready.failed(no, now());
        } finally {
            lock.unlock();
        }
    }

    /** One that stands by, for the part of a resource that is not there; it stands by no more. Null if there is none. */
    private RemoteMember spare(Attempt attempt, Deployment.Resource lost) {
        for (Iterator<Map.Entry<Key, RemoteMember>> all = members.entrySet().iterator(); all.hasNext();) {
            Map.Entry<Key, RemoteMember> each = all.next();
            RemoteMember member = each.getValue();
            if (attempt.job().equals(each.getKey().job()) && member.isSpareFor(lost)) {
                all.remove();
                return member;
            }
        }
        return null;
    }

    /** How many spares of a job could take a part at once. */
    public int spares(Attempt attempt, Deployment.Resource lost) {
        return (int) members.entrySet().stream().filter(each -> attempt.job().equals(each.getKey().job())
                && each.getValue().isSpareFor(lost)).count();
    }

    /** Dismisses unused resources of that name with another description, and those that keep processors for themselves. */
    private void dismissNamesake(Deployment.Resource spec) {
        for (Iterator<RemoteMember> all = members.values().iterator(); all.hasNext();) {
            RemoteMember other = all.next();
            if ((other.name().equals(spec.name()) || other.keepsProcessors()) && other.isIdle(0)) {
                all.remove();
                dismiss(other);
            }
        }
    }

    private MemberStarts.Way way(Deployment.Resource spec, ControlAddress at, Starting starting) {
        Request request = starting.request();
        boolean isChild = Hosts.isChild(spec);
        String host = isChild ? Hosts.ofChild(request.resources(), request.listen()) : spec.host();
        return new MemberStarts.Way(starting.starter(), host, isChild ? Hosts.near(at.host()) : starters.executors().reached(),
                request.compiling().contains(spec.name()), secret(at, spec, request));
    }

    /** A child is told its jobs' secrets; between machines none is sent, and an executor, of one job alone, has that one's. */
    private String secret(ControlAddress at, Deployment.Resource spec, Request request) {
        return !at.secret().equals(ownSecret) ? at.secret()
                : Hosts.isExecutor(spec) ? Secret.of(request.attempt().job(), ownSecret) : Secret.random();
    }

    /** Catches exceptions, which would silently end the schedule, so that all resources would leave. */
    private static void guarded(Runnable what) {
        try {
            what.run();
        } catch (RuntimeException | Error fault) {
            System.getLogger(Members.class.getName()).log(System.Logger.Level.ERROR, "a heartbeat failed", fault);
        }
    }

    private void heartbeat() {
        if (beats++ % TIDY_BEATS == 0) {
            tidyIfFree();
        }
        members.values().forEach(RemoteMember::heartbeat);
    }

    /** While a job's children are starting, the next second is early enough. */
    private void tidyIfFree() {
        if (lock.tryLock()) {
            try {
                if (!closed) {      // children that end with it are no losses
                    tidy();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Drops lost resources, and ends idle ones. */
    private void tidy() {
        // first: a child that was dismissed a second ago has read its last message
        ports.closeUnused(members.keySet().stream().map(Key::at).collect(Collectors.toSet()));
        for (Iterator<RemoteMember> each = members.values().iterator(); each.hasNext();) {
            RemoteMember member = each.next();
            if (member.lost() != null) {
                each.remove();
            } else if (member.isIdle(TimeUnit.MILLISECONDS.toNanos(patience.idleMillis())) && !ready.has(member)) {
                each.remove();
                dismiss(member);
            }
        }
        ready.tidy(now());
        if (ready.isShort(now())) {
            environment.aside().execute(() -> guarded(this::startReady));
        }
    }

    /** Ends a child that no job uses. */
    private void dismiss(RemoteMember member) {
        member.bye(null);
        environment.aside().execute(() -> member.end(END_MILLIS));
    }

    /** Ends every child, and every connection. */
    @Override
    public void close() {
        close(null);
    }

    /** @param lost see {@link io.despina.control.protocol.Message.Bye#lost} */
    public void close(String lost) {
        List<RemoteMember> all;
        List<ControlPort> open;
        lock.lock();
        try {
            closed = true;
            all = new ArrayList<>(members.values());
            open = ports.takeAll();
            members.clear();
        } finally {
            lock.unlock();
        }
        all.forEach(m -> m.bye(lost));
        all.forEach(m -> m.end(END_MILLIS));
        open.forEach(ControlPort::close);
        if (starters.executors() != null) {
            starters.executors().close();
        }
    }
}
