package io.despina.control.coordinator;

import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.Recovery;
import io.despina.control.epoch.Restore;
import io.despina.control.epoch.RestoreDecision;
import io.despina.control.members.Environment;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.StatePlace;
import io.despina.link.Attempt;
import io.despina.operator.Reason;
import io.despina.snapshot.Claim;
import io.despina.snapshot.CommitPermit;
import io.despina.snapshot.FencedException;
import io.despina.snapshot.FolderFacts;
import io.despina.snapshot.FolderHold;
import io.despina.snapshot.Holder;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.RegisteredStore;
import io.despina.snapshot.SnapshotStore;
import io.despina.snapshot.StateFolder;
import io.despina.snapshot.TurnClaim;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** Opens the state folders of jobs and claims their attempts. Each call reads or writes a folder, and may wait for its disk. */
final class StateClaims {
    static final String RULE = "state";
    private static final String IN_USE = "state_in_use";
    private static final String PORT_IN_USE = "port_in_use";
    /** Another start has taken the folder from a job that ran. */
    static final String FENCED = "fenced";
    /** It was there before, so it may come again: the job waits for it. */
    private static final String UNREACHABLE = "state_unreachable";

    /** Between a coordinator and its job. */
    private static final char OF = '/';

    private final Environment environment;
    private final String coordinator = UUID.randomUUID().toString();

    /**
     * What a job finds before it is planned.
     *
     * @param attempt   that is to be claimed, or to be taken over
     * @param nowMicros of the job from whose epoch it goes on; null if it begins anew
     * @param taken     null if no attempt is taken over
     * @param hold      of the folder, if it has been waited for; else null
     */
    record Found(int attempt, Long nowMicros, Taken taken, HeldFolder hold) {
        static final Found NOTHING = new Found(1, null, null, null);

        /**
         * Whether the run stands by again, since another was first. It waits until that one may hold the folder: of two on one
         * machine, the second finds its ports in use.
         */
        boolean givesWay(Refusal why) {
            boolean isPort = why.rule().equals(PORT_IN_USE);
            return hold != null && (isPort || why.rule().equals(FENCED) || why.rule().equals(IN_USE))
                    && (hold.giveWay() || !isPort);
        }

        /** Nothing comes of it. */
        void letGo() {
            if (hold != null) {
                hold.close();
            }
        }

        /** @param id of a new job */
        Attempt toRun(String id) {
            return new Attempt(taken == null ? id : taken.job, attempt);
        }

        /** The submission of the job that goes on. */
        Submission of(Submission given) {
            return nowMicros == null ? given : new Submission(given.graphText(), given.fileName(), given.options().at(nowMicros),
                    given.startedAtMillis());
        }
    }

    /**
     * An attempt that goes on without its coordinator, perhaps.
     *
     * @param job  its id there
     * @param turn in which it is taken
     */
    record Taken(String job, int turn) {
    }

    StateClaims(Environment environment) {
        this.environment = environment;
    }

    /**
     * What the folder says before the graph is planned, which needs {@code now()}. A run that stands by waits here.
     *
     * @param job   id of a new one
     * @param waits is told when the run stands by
     */
    Found look(Submission submission, String graph, String job, Runnable waits) throws Refusal {
        if (!submission.options().recovery().isOn()) {
            return Found.NOTHING;
        }
        String address = address(submission);
        HeldFolder hold = null;
        Found found = null;
        try {
            StateFolder folder = StateFolder.at(store(submission, address), graph);
            if (!submission.options().outliving().standsBy()) {
                found = found(submission, folder, false, null);
                return found;
            }
            hold = new HeldFolder(new FolderHold(folder.store(), folder.paths(), self(job)), environment);
            found = standBy(submission, folder, hold, waits);
            return found;
        } catch (IOException e) {
            throw unusable(RULE, address, e);
        } finally {
            if (found == null && hold != null) {
                hold.close();
            }
        }
    }

    private Found standBy(Submission submission, StateFolder folder, HeldFolder hold, Runnable waits)
            throws IOException, Refusal {
        boolean waited = false;
        while (true) {
            waited = hold.standBy(waited, waits);
            try {
                Found free = found(submission, folder, waited, hold);
                if (hold.take()) {      // so that others see at once that it is held, however long its graph takes
                    return free;
                }
            } catch (IOException away) {
                if (!waited || away instanceof SnapshotException) {
                    throw away;
                }
                hold.rest();
            }
        }
    }

    /** The folder, which names its registry from now on. */
    private SnapshotStore store(Submission submission, String address) throws IOException {
        RegisteredStore.name(environment.stores().open(address), submission.options().outliving().registry());
        return environment.stores().open(address);
    }

    private Found found(Submission submission, StateFolder folder, boolean waited, HeldFolder hold) throws IOException, Refusal {
        FolderFacts facts = folder.facts();
        TurnClaim last = submission.options().outliving().isOn() ? folder.last() : null;
        boolean isOwn = last != null && last.coordinator().startsWith(coordinator + OF);     // no process takes over from itself
        boolean lost = last != null && !isOwn && !folder.hasEnded(last.coordinator());
        Recovery recovery = submission.options().recovery().after(facts.claims());
        if (waited && last != null && !lost && hold.hasSeen(last.coordinator())) {      // others were lost before they began
            throw new Refusal(Job.ALREADY_ENDED, "the run for which this one stood by has ended by itself, and nothing is left "
                    + "to take over", "run it without --standby to go on");
        }
        // who has not waited begins where its user says, whatever still runs
        Claim claim = lost && (waited || recovery.goesOnAsItWas()) ? facts.claims().stream()
                .filter(each -> each.attempt() == last.attempt() && each.start() != null).findFirst().orElse(null) : null;
        boolean isDone = facts.epochs().stream().filter(each -> each.standing().isWhole())
                .anyMatch(each -> KeptEpochs.isLast(each.manifest()) && each.epoch() == facts.greatestEpoch());
        if (claim != null && !isDone && facts.greatestAttempt() == claim.attempt()) {
            String job = last.coordinator().substring(last.coordinator().indexOf(OF) + 1);
            return new Found(claim.attempt(), claim.nowMicros(), new Taken(job, last.turn() + 1), hold);
        }
        Wished wished = Wished.of(submission, recovery, environment);
        return new Found(wished.attempt(facts), recovery.start() == Recovery.Beginning.ANEW ? null : wished.nowMicros(facts),
                null, hold);
    }

    /** A job of this process: two of them are two holders. */
    private Holder self(String job) {
        return new Holder(coordinator + OF + job, host(), ProcessHandle.current().pid(), environment.wall().getAsLong(), 0);
    }

    /** Where the state of a job is, as resources find it. */
    private static String address(Submission submission) {
        return Wished.absolute(submission, submission.options().recovery().state());
    }

    /**
     * Claims an attempt: from now on no earlier one can complete an epoch.
     *
     * @param found what the first of this process has found; null for later ones, which go on from the newest epoch
     * @param held  of the attempt before in this process; null for the first
     * @throws Refusal if another run has the folder or has claimed that attempt, or the job cannot go on from what lies there
     */
    KeptEpochs claim(Submission submission, JobPlan planned, Attempt attempt, Found found, HeldFolder held) throws Refusal {
        String address = address(submission);
        boolean first = found != null;
        try {
            SnapshotStore store = environment.stores().open(address);
            StateFolder folder = StateFolder.at(store, planned.plan().name());
            Holder self = self(attempt.job());
            HeldFolder before = first ? found.hold : held;      // its own has to let it go
            boolean isOwn = before == null;
            HeldFolder hold = isOwn ? new HeldFolder(new FolderHold(store, folder.paths(), self), environment) : before;
            boolean claimed = false;
            try {
                Holder other = first ? hold.look() : null;
                if (!first) {
                    folder.refuseTaken(self);       // the claim is what counts: another that has the lease may be refused yet
                }
                Recovery recovery = submission.options().recovery().after(folder.facts().claims());
                boolean anew = first && found.taken == null;
                Wished wished = anew ? Wished.of(submission, recovery, environment) : Wished.newest(recovery);
                Chosen chosen = new Chosen(folder, self, other, address, anew ? recovery.start()
                        : Recovery.Beginning.NEWEST, wished);
                Run run = new Run(submission, planned, attempt, hold);
                KeptEpochs kept = first && found.taken != null ? takeOver(chosen, run, found.taken) : claim(chosen, run);
                hold.tells(folder, self);
                claimed = true;
                return kept;
            } finally {
                if (!claimed && isOwn) {
                    hold.close();
                }
            }
        } catch (IOException e) {
            // a job that runs has lost its folder to another start: that is how it ends, too, if it meets that at an epoch
            boolean givesWay = first && submission.options().outliving().standsBy();
            throw unusable(e instanceof FencedException && (!first || givesWay) ? FENCED
                    : first || e instanceof SnapshotException ? RULE : UNREACHABLE, address, e);
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

    /** Whose attempt it is. */
    private record Run(Submission submission, JobPlan planned, Attempt attempt, HeldFolder hold) {
    }

    private KeptEpochs claim(Chosen in, Run run) throws IOException, Refusal {
        decide(in, in.folder.facts(), run);
        in.folder.claim(Claim.by(in.self, run.attempt.number(), environment.wall().getAsLong(),
                run.submission.options().instantMicros()));
        run.hold.seize();
        FolderFacts facts = in.folder.facts();
        Restore restore = in.wished.adopted(decide(in, facts, run), in.folder, facts, run.attempt.number());
        Restore.GoOn goOn = restore instanceof Restore.GoOn found ? found : null;
        if (goOn == null && hasOtherRows(in, facts, run.submission.options().recovery())) {
            in.folder.renewId();
        }
        in.folder.start(run.attempt.number(), new Claim.Start(goOn == null ? 0 : goOn.manifest().epoch(),
                in.wished.wish().savepoint()));
        return kept(in, restore, facts, run);
    }

    /** From now on no coordinator before can complete an epoch of the attempt, which goes on where it is. */
    private KeptEpochs takeOver(Chosen in, Run run, Taken taken) throws IOException, Refusal {
        decide(in, in.folder.facts(), run);
        in.folder.takeOver(TurnClaim.by(in.self, run.attempt.number(), taken.turn, environment.wall().getAsLong()));
        run.hold.seize();
        FolderFacts facts = in.folder.facts();
        Chosen mine = new Chosen(in.folder.inTurn(taken.turn), in.self, null, in.address, in.start, in.wished);
        return kept(mine, decide(mine, facts, run), facts, run).takenOver(run.attempt);
    }

    private KeptEpochs kept(Chosen in, Restore restore, FolderFacts facts, Run run) throws IOException {
        JobOptions options = run.submission.options();
        Restore.GoOn goOn = restore instanceof Restore.GoOn found ? found : null;
        long from = goOn == null ? 0 : goOn.manifest().epoch();
        CommitPermit replay = goOn != null && goOn.replay() ? in.folder.again(from) : null;
        KeptEpochs.Changed changed = goOn == null ? KeptEpochs.Changed.NOTHING
                : KeptEpochs.Changed.of(goOn.manifest());
        List<String> told = goOn != null ? goOn.told() : ((Restore.Fresh) restore).told();
        return new KeptEpochs(in.folder, new KeptEpochs.Begin(run.attempt.number(), options.recovery().everyMillis(),
                new StatePlace(in.address, run.planned.plan().name(), from, goOn != null && replay == null, List.of())
                        .outliving(options.outliving().lostMillis()), replay, Math.max(facts.greatestEpoch(), from), changed,
                run.hold, told), origin(run.submission, run.planned, changed), types(run.planned));
    }

    /**
     * Whether a job that begins anew gives other rows under the id of the folder. Spark's queries of a part have seen no row of
     * an epoch that was not complete. But what they have kept has that id: they begin anew only where the user says so.
     */
    private static boolean hasOtherRows(Chosen in, FolderFacts facts, Recovery recovery) {
        return recovery.isPart() ? in.start == Recovery.Beginning.ANEW : !facts.epochs().isEmpty();
    }

    /** @return fresh, or the epoch to go on from */
    private Restore decide(Chosen in, FolderFacts facts, Run run) throws Refusal {
        if (in.start == Recovery.Beginning.ANEW && (in.other == null || !in.other.isAlive())) {
            return new Restore.Fresh(List.of());
        }
        Restore restore = RestoreDecision.of(facts, in.wished.wish(),
                in.wished.facts(facts, run.planned, JobPlan.digest(run.submission.graphText())),
                new RestoreDecision.Asking(in.self.coordinator(), environment.wall().getAsLong(), in.other));
        if (restore instanceof Restore.InUse other) {
            throw new Refusal(IN_USE, other.words(), "wait for its end or stop it, or name another folder");
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
        return new Refusal(rule, "the state folder " + address + " cannot be used: " + Reason.of(why), null);
    }
}
