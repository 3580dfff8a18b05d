package io.despina.control.members;

import io.despina.control.process.Child;
import io.despina.control.process.ResourceMain;
import io.despina.control.protocol.Refusal;
import io.despina.placement.Deployment;
import io.despina.wire.handshake.Secret;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Starts resources, or awaits those that others start; gives up one that does not come. Guarded by the lock of its {@link
 * Members}.
 */
final class MemberStarts {
    private final Member.Callback listener;
    private final Environment environment;
    private final long startMillis;

    /**
     * How a resource is started.
     *
     * @param host      on which it listens, and by which its peers know it
     * @param reached   the host at which it finds the coordinator
     * @param compiling whether it warms up the expression compiler at once
     * @param secret    by which it joins, and which its peers must know of each job that has none of its own
     */
    record Way(Starter starter, String host, String reached, boolean compiling, String secret) {
    }

    /** @param startMillis from the start of a child to its first message */
    MemberStarts(Member.Callback listener, Environment environment, long startMillis) {
        this.listener = listener;
        this.environment = environment;
        this.startMillis = startMillis;
    }

    RemoteMember started(Deployment.Resource spec, ControlPort port, ControlAddress at, Way way) throws Refusal {
        RemoteMember.Awaited awaited = new RemoteMember.Awaited(way.host(), null, at.host());
        RemoteMember member = new RemoteMember(spec, awaited, listener, environment);
        String token = Secret.random();     // a program that knows the job's secret must not guess it
        port.expect(token, way.secret(), member);
        List<String> arguments = ResourceMain.arguments(spec, way.reached() + ":" + port.number(), token, way.compiling());
        if (ReadyChildren.isOne(spec)) {
            arguments.addAll(List.of("--practise", "true"));
        }
        if (Hosts.isChild(spec)) {
            arguments.addAll(List.of("--listen", way.host()));
        }
        if (at.tls() != null) {
            arguments.addAll(List.of("--tls", at.tls()));
        }
        try {
            Child child = way.starter().start(spec, arguments, way.secret());
            if (child != null) {
                member.started(child);
            }
        } catch (Refusal e) {
            port.expectNoMore(member);
            throw e;
        }
        waitFor(member, port, startMillis, null);
        return member;
    }

    /**
     * @param secretFile null if the secret is in the environment
     * @param millis     how long it is awaited
     */
    RemoteMember joining(Deployment.Resource spec, ControlPort port, ControlAddress at, String secretFile, long millis) {
        String command = Hosts.command(spec, at.host(), secretFile, at.tls());
        RemoteMember.Awaited awaited = new RemoteMember.Awaited(spec.host(), command, at.host());
        RemoteMember member = new RemoteMember(spec, awaited, listener, environment);
        port.expect(spec.name(), member);
        String where = spec.host().isEmpty() ? "" : " on " + spec.host();
        waitFor(member, port, millis, "start it" + where + " with `" + command + "`; --join-timeout S waits longer");
        return member;
    }

    private void waitFor(RemoteMember member, ControlPort port, long millis, String hint) {
        // by the name that it has then: one that is ready may be a job's by now
        ScheduledFuture<?> timeout = environment.timer().schedule(() -> member.giveUp(new Refusal("resource_start", "resource `"
                + member.name() + "` has not joined within " + millis / 1e3 + " s", hint)), millis, TimeUnit.MILLISECONDS);
        member.joined().whenComplete((joined, failure) -> {
            timeout.cancel(false);
            port.expectNoMore(member);
        });
    }
}
