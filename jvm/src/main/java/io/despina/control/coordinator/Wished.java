package io.despina.control.coordinator;

import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.PlanStates;
import io.despina.control.assembly.Recovery;
import io.despina.control.epoch.PlanFacts;
import io.despina.control.epoch.Restore;
import io.despina.control.epoch.RestoreWish;
import io.despina.control.members.Environment;
import io.despina.control.protocol.Refusal;
import io.despina.snapshot.Adoption;
import io.despina.snapshot.EpochFacts;
import io.despina.snapshot.FolderFacts;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.Savepoint;
import io.despina.snapshot.SnapshotStore;
import io.despina.snapshot.SnapshotStores;
import io.despina.snapshot.StateFolder;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * From what the first attempt of a process goes on, as its user has said.
 *
 * @param savepoint what a user has named, for a wish with a savepoint; else null
 */
record Wished(RestoreWish wish, SnapshotStore savepoint) {
    private static final String NUMBER = "[1-9][0-9]{0,17}";

    /** What every later attempt wishes. */
    static Wished newest(Recovery recovery) {
        return new Wished(RestoreWish.newest(recovery.isPart()), null);
    }

    /** @throws Refusal if there is no whole savepoint where it is said to be */
    static Wished of(Submission submission, Recovery recovery, Environment environment) throws Refusal {
        RestoreWish.Changes changes = recovery.changes();
        boolean part = recovery.isPart();
        if (recovery.start() != Recovery.Beginning.FROM) {
            return new Wished(new RestoreWish(true, 0, null, null, changes, part), null);
        }
        if (recovery.from().matches(NUMBER)) {
            return new Wished(new RestoreWish(true, Long.parseLong(recovery.from()), null, null, changes, part), null);
        }
        String address = absolute(submission, recovery.from());
        try {
            SnapshotStore store = environment.stores().open(address);
            return new Wished(new RestoreWish(true, 0, address, Savepoint.read(store), changes, part), store);
        } catch (IOException | IllegalArgumentException e) {
            String why = String.valueOf(e.getMessage());
            throw new Refusal(StateClaims.RULE, why.startsWith(address) ? why : "from=" + recovery.from() + ": " + why,
                    "--from takes the folder of a savepoint, or the number of an epoch of the state");
        }
    }

    /** An address, or a path from where the job's relative ones are. */
    static String absolute(Submission submission, String given) {
        return SnapshotStores.isAddress(given) ? given
                : Path.of(submission.options().directory()).resolve(given).normalize().toString();
    }

    /** The number of the attempt that is to be claimed: a log knows those that have written it, wherever that was. */
    int attempt(FolderFacts facts) {
        return 1 + Math.max(facts.greatestAttempt(), wish.kept() == null ? 0 : wish.kept().attempt());
    }

    /** The value of {@code now()} there; null if nothing is there, or it is not known. */
    Long nowMicros(FolderFacts facts) {
        Manifest from = wish.kept() != null ? wish.kept() : facts.epochs().stream().filter(each -> each.standing().isWhole())
                .filter(each -> wish.epoch() == 0 || wish.epoch() == each.epoch()).reduce((first, last) -> last)
                .map(EpochFacts::manifest).orElse(null);
        return from == null || from.origin().nowMicros() == 0 ? null : (Long) from.origin().nowMicros();
    }

    /** What the plan says. The types of its states are compared only where the graph's text is another one. */
    PlanFacts facts(FolderFacts folder, JobPlan planned, String digest) {
        boolean same = wish.kept() != null ? wish.kept().origin().graphDigest().equals(digest)
                : folder.epochs().stream().filter(each -> each.standing().isWhole())
                .allMatch(each -> each.manifest().origin().graphDigest().equals(digest));
        return same ? PlanStates.ofTheSame(planned) : PlanStates.of(planned);
    }

    /**
     * Makes what is gone on from an epoch of the folder, if it is none or its operators have other ids.
     *
     * @param restore what was decided
     * @return the same, or the epoch that was made
     */
    Restore adopted(Restore restore, StateFolder folder, FolderFacts facts, int attempt) throws IOException, Refusal {
        if (restore instanceof Restore.FromSavepoint from) {
            Manifest kept = wish.kept();
            Adoption.As as = as(attempt, 1 + Math.max(facts.greatestEpoch(), kept.epoch()));
            try {
                return new Restore.GoOn(Adoption.ofSavepoint(savepoint, kept, folder, as), false, from.told());
            } catch (SnapshotException damaged) {
                throw new Refusal(StateClaims.RULE, "savepoint " + from.address() + ": " + damaged.getMessage(),
                        "bring back the file from a copy, or go on from another savepoint");
            }
        }
        if (restore instanceof Restore.GoOn goOn && !wish.changes().isEmpty()) {
            Adoption.As as = as(attempt, 1 + facts.greatestEpoch());
            return new Restore.GoOn(Adoption.ofEpoch(goOn.manifest(), !goOn.replay(), folder, as), goOn.replay(), goOn.told());
        }
        return restore;
    }

    private Adoption.As as(int attempt, long epoch) {
        return new Adoption.As(attempt, epoch, wish.changes().renamed(), wish.changes().dropped());
    }
}
