package io.despina.control.members;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.placement.Deployment;
import io.despina.placement.Park;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The resources of one job, kept for it until it is released. */
public final class Lease {

    /**
     * How programs of other processes come to the job.
     *
     * @param at      where the coordinator listens for them, on any free port
     * @param reached the host by which others know that one
     * @param secret  of this job alone, which the coordinator made up; null if the user has given one, that of {@code at}
     * @param isTold  whether its resources learn it with the job: they have secrets of their own, and are on this machine
     */
    public record Access(ControlAddress at, String reached, String secret, boolean isTold) {

        /** What resources are told of it; null for nothing. */
        public String told() {
            return isTold ? secret : null;
        }

        /** Where it is reached, without the secret, which belongs in no log. */
        @Override
        public String toString() {
            return reached + " at " + at;
        }
    }

    private final List<RemoteMember> members = new ArrayList<>();
    private final List<CompletableFuture<RemoteMember>> joined = new ArrayList<>();
    private final List<RemoteMember> spares = new ArrayList<>();
    private final Runnable afterwards;
    private final Access access;
    private final boolean goesOn;

    /** @param goesOn whether the job can go on without one of them */
    Lease(Access access, boolean goesOn, Runnable afterwards) {
        this.access = access;
        this.goesOn = goesOn;
        this.afterwards = afterwards;
    }

    public Access access() {
        return access;
    }

    void add(RemoteMember member, Deployment.Resource spec) {
        members.add(member);
        CompletableFuture<RemoteMember> fitting = new CompletableFuture<>();
        member.joined().whenComplete((has, failure) -> {
            Throwable wrong = failure == null ? has.misfit(spec) : failure;
            if (wrong == null) {
                fitting.complete(has);
            } else {
                fitting.completeExceptionally(wrong);
            }
        });
        joined.add(fitting);
    }

    /** The names of those that are lost. */
    public List<String> lost() {
        return members.stream().filter(each -> each.lost() != null).map(RemoteMember::name).toList();
    }

    /** One that stands by; nobody waits for it. */
    void addSpare(RemoteMember member) {
        members.add(member);
        spares.add(member);
    }

    List<RemoteMember> spares() {
        return spares;
    }

    /** How many stand by now. */
    public int standingBy() {
        return (int) spares.stream().filter(RemoteMember::standsBy).count();
    }

    /** Lets those that stand by practise what they may have to run. */
    public void rehearse(Message.Rehearse what) {
        spares.forEach(spare -> spare.joined().thenAccept(joined -> joined.send(what)));
    }

    /**
     * Each completes when its resource has joined, or with a {@link Refusal} if that fails or the resource differs from its
     * description.
     */
    public List<CompletableFuture<RemoteMember>> joined() {
        return joined;
    }

    /** What their machines can do, asked for when all have joined. Completes with a {@link Refusal} if one is lost. */
    public CompletableFuture<Park.Measured> survey() {
        return new MachineSurveys(joined.stream().map(CompletableFuture::join).toList()).ask();
    }

    /** How many of them have joined, or have failed to. */
    public int hasJoined() {
        return (int) joined.stream().filter(CompletableFuture::isDone).count();
    }

    /** The commands for resources that must be started elsewhere and have not joined, by name. */
    public Map<String, String> awaited() {
        Map<String, String> commands = new LinkedHashMap<>();
        for (RemoteMember member : members) {
            String command = member.awaited();
            if (command != null) {
                commands.put(member.name(), command);
            }
        }
        return commands;
    }

    /** Once. Takes no lock. */
    public void release() {
        members.forEach(member -> member.leave(goesOn));
        afterwards.run();
    }
}
