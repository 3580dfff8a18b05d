package io.despina.control.coordinator;

import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.Recovery;
import io.despina.control.epoch.Restore;
import io.despina.control.epoch.RestoreDecision;
import io.despina.control.members.Environment;
import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.StatePlace;
import io.despina.descriptor.Diagnostic;
import io.despina.descriptor.Severity;
import io.despina.link.Attempt;
import io.despina.placement.Deployment;
import io.despina.snapshot.Claim;
import io.despina.snapshot.CommitPermit;
import io.despina.snapshot.FencedException;
import io.despina.snapshot.FolderFacts;
import io.despina.snapshot.FolderHold;
import io.despina.snapshot.Holder;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.SnapshotStore;
import io.despina.snapshot.SnapshotStores;
import io.despina.snapshot.StateFolder;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** Opens the state folders of jobs and claims their attempts. Each call reads or writes a folder, and may wait for its disk. */
final class StateClaims {
    static final String RULE = "state";
    /** Another start has taken the folder from a job that ran. */
    static final String FENCED = "fenced";
    /** It was there before, so it may come again: the job waits for it. */
    private static final String UNREACHABLE = "state_unreachable";

    private static final String SEEN_BY_ALL = "name a folder that all resources see: hdfs://…, s3a://…, or file:///… for one that"
            + " each machine has mounted there";
    /** Hosts that are this machine without asking anybody. */
    private static final Set<String> HERE = Set.of("127.0.0.1", "localhost", "::1");

    private final Environment environment;
    private final String coordinator = UUID.randomUUID().toString();

    /**
     * What a job finds before it is planned.
     *
     * @param attempt   that is to be claimed
     * @param nowMicros of the job from whose epoch it goes on; null if it begins anew
     */
    record Found(int attempt, Long nowMicros) {
        private static final Found NOTHING = new Found(1, null);

        /** The submission of the job that goes on. */
        Submission of(Submission given) {
            return nowMicros == null ? given : new Submission(given.graphText(), given.fileName(), given.options().at(nowMicros),
                    given.startedAtMillis());
        }
    }

    StateClaims(Environment environment) {
        this.environment = environment;
    }

    /** What the folder says before the graph is planned, which needs {@code now()}. */
    Found look(Submission submission, String graph) throws Refusal {
        if (!submission.options().recovery().isOn()) {
            return Found.NOTHING;
        }
        String address = address(submission);
        try {
            FolderFacts facts = StateFolder.at(environment.stores().open(address), graph).facts();
            Recovery recovery = submission.options().recovery().after(facts.claims());
            Wished wished = Wished.of(submission, recovery, environment);
            return new Found(wished.attempt(facts), recovery.start() == Recovery.Beginning.ANEW ? null : wished.nowMicros(facts));
        } catch (IOException e) {
            throw unusable(RULE, address, e);
        }
    }

    /**
     * Refuses a path as the state of a job of which a part is on another machine: that would write to a disk of its own, where
     * nobody finds it. An address is taken for one that all see.
     */
    static void refuseUnseen(Submission submission, Collection<Member> members) throws Refusal {
        Recovery recovery = submission.options().recovery();
        if (!recovery.isOn() || SnapshotStores.isAddress(recovery.state())) {
            return;
        }
        for (Member member : members) {
            if (!member.isOnThisMachine()) {
                throw new Refusal(RULE, "resource `" + member.name() + "` runs on " + member.dataAddress().getHostString()
                        + ", and the state folder " + address(submission) + " is on this machine", SEEN_BY_ALL);
            }
        }
    }

    /** A warning for each resource that would be refused so if it joined from another machine. A check asks nobody where. */
    static List<Diagnostic> warnOfUnseen(Deployment deployment, Recovery recovery) {
        if (!recovery.isOn() || SnapshotStores.isAddress(recovery.state())) {
            return List.of();
        }
        return deployment.resources().stream().filter(each -> each.start() == Deployment.Start.JOIN)
                .filter(each -> !HERE.contains(each.host()))
                .map(each -> new Diagnostic(deployment.file(), each.place(), Severity.WARNING, RULE, "resource `" + each.name()
                        + "` joins" + (each.host().isEmpty() ? "" : " from " + each.host()) + ", and the state folder "
                        + recovery.state() + " is on the machine of `despina run`: from another machine the job is refused",
                        SEEN_BY_ALL)).toList();
    }

    /** Where the state of a job is, as resources find it. */
    private static String address(Submission submission) {
        return Wished.absolute(submission, submission.options().recovery().state());
    }

    /**
     * Claims an attempt: from now on no earlier one can complete an epoch.
     *
     * @param first whether it is the first of this process; later ones go on from the newest epoch
     * @throws Refusal if another run has the folder or has claimed that attempt, or the job cannot go on from what lies there
     */
    KeptEpochs claim(Submission submission, JobPlan planned, Attempt attempt, boolean first) throws Refusal {
        String address = address(submission);
        try {
            SnapshotStore store = environment.stores().open(address);
            StateFolder folder = StateFolder.at(store, planned.plan().name());
            Holder self = new Holder(coordinator + "/" + attempt.job(), host(), ProcessHandle.current().pid(),
                    environment.wall().getAsLong(), 0);
            HeldFolder hold = new HeldFolder(new FolderHold(store, folder.paths(), self), environment);
            boolean claimed = false;
            try {
                Holder other = hold.look();
                Recovery recovery = submission.options().recovery().after(folder.facts().claims());
                Wished wished = first ? Wished.of(submission, recovery, environment) : Wished.newest(recovery);
                Chosen chosen = new Chosen(folder, self, other, address, first ? recovery.start()
                        : Recovery.Beginning.NEWEST, wished);
                KeptEpochs kept = claim(chosen, hold, submission, planned, attempt);
                claimed = true;
                return kept;
            } finally {
                if (!claimed) {
                    hold.close();
                }
            }
        } catch (IOException e) {
            // a job that runs has lost its folder to another start: that is how it ends, too, if it meets that at an epoch
            throw unusable(first ? RULE : e instanceof FencedException ? FENCED
                    : e instanceof SnapshotException ? RULE : UNREACHABLE, address, e);
        }
    }

    /**
     * The folder of a job.
     *
     * @param self  the job: two of one process are two holders
     * @param other who uses it; or null
     * @param start where the attempt begins
     */
    private record Chosen(StateFolder folder, Holder self, Holder other, String address, Recovery.Beginning start,
            Wished wished) {
    }

    private KeptEpochs claim(Chosen in, HeldFolder hold, Submission submission, JobPlan planned, Attempt attempt)
            throws IOException, Refusal {
        decide(in, in.folder.facts(), submission, planned);
        in.folder.claim(new Claim(attempt.number(), in.self.coordinator(), in.self.host(), in.self.pid(),
                environment.wall().getAsLong(), submission.options().instantMicros(), Map.of(), null));
        hold.take();
        FolderFacts facts = in.folder.facts();
        Restore restore = in.wished.adopted(decide(in, facts, submission, planned), in.folder, facts, attempt.number());
        Restore.GoOn goOn = restore instanceof Restore.GoOn found ? found : null;
        if (goOn == null && hasOtherRows(in, facts, submission.options().recovery())) {
            in.folder.renewId();
        }
        long from = goOn == null ? 0 : goOn.manifest().epoch();
        in.folder.start(attempt.number(), new Claim.Start(from, in.wished.wish().savepoint()));
        CommitPermit replay = goOn != null && goOn.replay() ? in.folder.again(from) : null;
        KeptEpochs.Changed changed = goOn == null ? KeptEpochs.Changed.NOTHING
                : KeptEpochs.Changed.of(goOn.manifest());
        List<String> told = goOn != null ? goOn.told() : ((Restore.Fresh) restore).told();
        return new KeptEpochs(in.folder, new KeptEpochs.Begin(attempt.number(), submission.options().recovery().everyMillis(),
                new StatePlace(in.address, planned.plan().name(), from, goOn != null && replay == null, List.of()), replay,
                Math.max(facts.greatestEpoch(), from), changed, hold, told), origin(submission, planned, changed),
                types(planned));
    }

    /**
     * Whether a job that begins anew gives other rows under the id of the folder. Spark's queries of a part have seen no row of
     * an epoch that was not complete. But what they have kept has that id: they begin anew only where the user says so.
     */
    private static boolean hasOtherRows(Chosen in, FolderFacts facts, Recovery recovery) {
        return recovery.isPart() ? in.start == Recovery.Beginning.ANEW : !facts.epochs().isEmpty();
    }

    /** @return fresh, or the epoch to go on from */
    private Restore decide(Chosen in, FolderFacts facts, Submission submission, JobPlan planned) throws Refusal {
        if (in.start == Recovery.Beginning.ANEW && (in.other == null || !in.other.isAlive())) {
            return new Restore.Fresh(List.of());
        }
        Restore restore = RestoreDecision.of(facts, in.wished.wish(),
                in.wished.facts(facts, planned, JobPlan.digest(submission.graphText())),
                new RestoreDecision.Asking(in.self.coordinator(), environment.wall().getAsLong(), in.other));
        if (restore instanceof Restore.InUse other) {
            throw new Refusal("state_in_use", other.words(), "wait for its end or stop it, or name another folder");
        }
        if (restore instanceof Restore.Refused refused) {
            throw new Refusal(RULE, in.address + ": " + refused.words(), refused.hint());
        }
        if (restore instanceof Restore.Fresh && in.start == Recovery.Beginning.RESUME) {
            throw new Refusal(RULE, in.address + " has no complete epoch to go on from", "leave --resume out to begin anew");
        }
        if (restore instanceof Restore.Fresh && !in.wished.wish().changes().isEmpty()) {
            throw new Refusal(RULE, in.address + " has no complete epoch, and drop and rename are about what one has",
                    "leave them out to begin anew, or name a savepoint with --from");
        }
        if (restore instanceof Restore.GoOn goOn && !goOn.replay() && KeptEpochs.isLast(goOn.manifest())) {
            throw new Refusal("state_ended", "the job has ended: epoch " + goOn.manifest().epoch() + " of " + in.address
                    + " is its last, and nothing is left to do", "--from-start runs it again; or name another folder");
        }
        return restore;
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException none) {
            return "localhost";
        }
    }

    private static Manifest.Origin origin(Submission submission, JobPlan planned, KeptEpochs.Changed changed) {
        return new Manifest.Origin(Message.Hello.VERSION, planned.plan().name(), JobPlan.digest(submission.graphText()),
                planned.digest(), planned.plan().settings().buckets(), submission.options().instantMicros(), changed.schedules(),
                changed.given());
    }

    private static Map<String, String> types(JobPlan planned) {
        return planned.graph().operators().stream().collect(Collectors.toMap(each -> each.id(), each -> each.type().word()));
    }

    private static Refusal unusable(String rule, String address, IOException why) {
        return new Refusal(rule, "the state folder " + address + " cannot be used: " + why.getMessage(), null);
    }
}
