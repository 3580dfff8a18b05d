package io.despina.simulation;

import io.despina.control.epoch.EpochDecisions;
import io.despina.control.epoch.EpochProgress;
import io.despina.control.epoch.EpochStep;
import io.despina.control.epoch.PlanFacts;
import io.despina.control.epoch.Restore;
import io.despina.control.epoch.RestoreDecision;
import io.despina.control.epoch.RestoreWish;
import io.despina.control.epoch.Retention;
import io.despina.simulation.EpochWorld.Process;
import io.despina.simulation.disk.SimulatedDisk.Operation;
import io.despina.snapshot.Claim;
import io.despina.snapshot.CommitPermit;
import io.despina.snapshot.EpochFacts;
import io.despina.snapshot.EpochFile;
import io.despina.snapshot.FencedException;
import io.despina.snapshot.FolderFacts;
import io.despina.snapshot.FolderHold;
import io.despina.snapshot.Holder;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.ManifestDraft;
import io.despina.snapshot.RottenStatesException;
import io.despina.snapshot.StateFolder;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A coordinator's process in {@link EpochSimulation}: it does what {@link EpochDecisions} say, one attempt after the other. */
final class EpochCoordinator extends Process {
    static final String GRAPH = "g";
    private static final long EVERY_MILLIS = 1_000;
    private static final int BUCKETS = 256;
    private static final long LEASE = 1_000 * EpochWorld.MILLI;
    private static final int COLLECTS_EVERY = 3;
    /** After so many the holder of a lease has either lost it or is alive. */
    private static final int MOST_REFUSALS = 40;
    private static final long AGAIN = 400 * EpochWorld.MILLI;

    private final EpochSimulation simulation;
    private final StateFolder folder;
    private final FolderHold hold;
    private final Map<String, EpochResource> members = new TreeMap<>();
    private final TreeSet<String> ready = new TreeSet<>();
    private final Map<String, EpochFile.Written> files = new TreeMap<>();
    private final Map<Long, CommitPermit> permits = new HashMap<>();
    private int attempt;
    /** Null while no attempt runs. */
    private EpochProgress progress;
    private EpochProgress beginning;
    private boolean claiming;
    private long timer;
    private int refusals;

    EpochCoordinator(EpochSimulation simulation, String name) {
        super(simulation.world(), name);
        this.simulation = simulation;
        folder = StateFolder.at(new LocalStore(world.disk.path().resolve("state")), GRAPH);
        hold = new FolderHold(folder.store(), folder.paths(), new Holder(name, "host", 1, world.wallMillis(), 0));
        world.later(this, LEASE, () -> {
            if (hold.isLease() && attempt > 0) {
                renew();
            }
        });
    }

    int attempt() {
        return attempt;
    }

    boolean isRunning() {
        return progress != null;
    }

    @Override
    Mark deathAt(Operation operation, String path) {
        return DiskTroubles.deathOfCoordinator(operation, path);
    }

    @Override
    void died() {
        simulation.coordinatorDied(this);
    }

    /** Begins the next attempt, when its resources are there. */
    void begin() {
        if (claiming || isDead()) {
            return;
        }
        claiming = true;
        progress = null;
        beginning = null;
        world.later(this, world.random.nextLong(AGAIN), this::claim);
    }

    private void again(String why) {
        world.trace(this, "tries again: " + why);
        claiming = false;
        begin();
    }

    private void claim() {
        List<EpochResource> present = simulation.present(this);
        int wanted = simulation.parallelism();
        if (present.size() < wanted) {
            claiming = false;
            begin();
            return;
        }
        try {
            FolderFacts before = simulation.read(folder);
            if (attempt > 0 && before.greatestAttempt() > attempt) {
                retire("another has claimed attempt " + before.greatestAttempt());
                return;
            }
            RestoreDecision.Asking asking = new RestoreDecision.Asking(name, world.wallMillis(),
                    hold.look(world.time.nanos()));
            Restore first = decide(before, wanted, asking);
            if (first instanceof Restore.InUse other) {
                if (other.againMillis() == 0 || ++refusals == MOST_REFUSALS) {
                    retire(other.words());
                } else {
                    again(other.words());
                }
                return;
            }
            if (refuses(first)) {
                return;
            }
            int next = before.greatestAttempt() + 1;
            folder.claim(new Claim(next, name, "host", 1, world.wallMillis(), 5, Map.of(), null));
            hold.seize();
            attempt = next;
            start(present.subList(0, wanted), asking);
        } catch (SnapshotException refused) {
            retire(refused.getMessage());
        } catch (IOException e) {
            again(e.getMessage());
        }
    }

    private void start(List<EpochResource> present, RestoreDecision.Asking asking) throws IOException {
        FolderFacts facts = simulation.read(folder);
        Restore restore = decide(facts, present.size(), asking);
        if (refuses(restore)) {
            return;
        }
        Restore.GoOn from = restore instanceof Restore.GoOn on ? on : null;
        if (from != null && facts.epochs().stream().anyMatch(each -> each.standing() == EpochFacts.Standing.ROTTEN
                && each.manifest() != null && each.manifest().bases().stream().noneMatch(from.manifest()::names))) {
            world.swarm.met(Mark.ROTTEN_BASE_LEFT_BEHIND);
        }
        long number = from == null ? 0 : from.manifest().epoch();
        permits.clear();
        if (number > 0) {
            permits.put(number, folder.again(number));
            simulation.checkKept(number, "to be committed again");
        }
        folder.start(attempt, new Claim.Start(number, null));
        deploy(facts, from, present);
    }

    private Restore decide(FolderFacts facts, int parallelism, RestoreDecision.Asking asking) {
        return RestoreDecision.of(facts, RestoreWish.newest(false), new PlanFacts(GRAPH, BUCKETS, Map.of(
                "source", new PlanFacts.OperatorFacts("source", parallelism, List.of()),
                "sink", new PlanFacts.OperatorFacts("sink", parallelism, List.of()))), asking);
    }

    private boolean refuses(Restore restore) {
        if (restore instanceof Restore.Refused refused) {
            world.trace(this, "is refused: " + refused.words());
            simulation.refuse(refused.words());
            return true;
        }
        return false;
    }

    /** A lease is renewed for as long as it lives. */
    private void renew() {
        try {
            hold.renew(world.time.nanos());
        } catch (IOException e) {
            world.trace(this, "cannot renew its lease: " + e.getMessage());
        }
        world.later(this, LEASE, this::renew);
    }

    private void deploy(FolderFacts facts, Restore.GoOn from, List<EpochResource> present) {
        claiming = false;
        members.clear();
        ready.clear();
        files.clear();
        List<EpochResource> all = new ArrayList<>(present);
        all.forEach(each -> members.put(each.place(), each));
        long number = from == null ? 0 : from.manifest().epoch();
        boolean replay = from != null && from.replay();
        world.trace(this, "begins attempt " + attempt + " from epoch " + number + (replay ? ", to commit again, on " : " on ")
                + all);
        if (from != null && from.manifest().operators().get("sink").instances().size() != all.size()) {
            world.swarm.met(Mark.RESCALE_BETWEEN_ATTEMPTS);
        }
        beginning = EpochProgress.of(EVERY_MILLIS, members.keySet(), new EpochProgress.Start(world.millis(), number,
                replay ? number : 0), facts.greatestEpoch());
        for (int k = 0; k < all.size(); k++) {
            EpochResource.Deploy message = new EpochResource.Deploy(attempt, k, all, folder, number,
                    from == null ? null : from.manifest(), replay, facts.id());
            EpochResource to = all.get(k);
            tell(to, () -> to.deploy(message));
        }
    }

    private void retire(String why) {
        world.trace(this, "ends: " + why);
        kill();
    }

    private void tell(EpochResource to, Runnable what) {
        world.send(this, to, "control", what);
    }

    private boolean isOf(EpochResource from, int of) {
        return of == attempt && members.get(from.place()) == from && progress != null;
    }

    /** A member is gone, or silent for too long. */
    void lost(EpochResource which) {
        if (members.get(which.place()) == which && !claiming) {
            world.trace(this, "has lost " + which);
            endAttempt();
            begin();
        }
    }

    private void endAttempt() {
        int of = attempt;
        members.values().forEach(each -> tell(each, () -> each.end(of)));
        members.clear();
    }

    void ready(EpochResource from, int of) {
        if (of == attempt && members.get(from.place()) == from && beginning != null && ready.add(from.place())
                && ready.containsAll(members.keySet())) {
            members.values().forEach(each -> tell(each, () -> each.start(of)));
            progress = beginning;
            beginning = null;
            pump();
        }
    }

    void notRestored(EpochResource from, int of, IOException why) {
        if (of == attempt && members.get(from.place()) == from) {
            world.trace(this, "hears that " + from + " cannot restore: " + why);
            endAttempt();
            rotten(beginning.start().from(), why);
            begin();
        }
    }

    void hasNoRoom(EpochResource from, int of) {
        if (of == attempt && members.get(from.place()) == from) {
            world.trace(this, "hears that " + from + " has no room");
            endAttempt();
            begin();
        }
    }

    private void rotten(long epoch, IOException why) {
        try {
            if (why instanceof RottenStatesException rot) {
                folder.rotten(epoch, rot);
            }
        } catch (IOException e) {
            world.trace(this, "cannot say that epoch " + epoch + " is rotten: " + e);
        }
    }

    void frozen(EpochResource from, int of, long epoch, EpochFile.Written file) {
        if (isOf(from, of) && progress.freezing() != null && progress.freezing().epoch() == epoch) {
            files.put(from.place(), file);
            progress = progress.frozen(from.place(), epoch);
            pump();
        }
    }

    void refused(EpochResource from, int of, long epoch, String why) {
        if (isOf(from, of)) {
            progress = progress.refused(from.place(), epoch, why);
            pump();
        }
    }

    void committed(EpochResource from, int of, long epoch) {
        if (isOf(from, of)) {
            progress = progress.committed(from.place(), epoch);
            pump();
        }
    }

    void settled(EpochResource from, int of) {
        if (isOf(from, of)) {
            progress = progress.settled(from.place(), false);
            pump();
        }
    }

    void cannotCommit(String why) {
        simulation.refuse(why);
    }

    /** Does what is to be done now. */
    private void pump() {
        while (progress != null && !isDead()) {
            EpochStep step = EpochDecisions.next(progress, world.millis());
            if (step instanceof EpochStep.Wait wait) {
                waitUntil(wait.untilMillis());
                return;
            }
            if (!(step instanceof EpochStep.Warn)) {
                world.trace(this, () -> "does " + step);
            }
            take(step);
        }
    }

    private void waitUntil(long millis) {
        long mine = ++timer;
        if (millis != Long.MAX_VALUE) {
            world.later(this, Math.max(0, millis - world.millis()) * EpochWorld.MILLI + EpochWorld.MILLI, () -> {
                if (mine == timer) {
                    pump();
                }
            });
        }
    }

    private void take(EpochStep step) {
        int of = attempt;
        if (step instanceof EpochStep.Begin begin) {
            files.clear();
            progress = progress.begun(begin.epoch(), begin.isLast(), world.millis());
            members.values().forEach(each -> barrier(each, of, begin.epoch()));
        } else if (step instanceof EpochStep.Write write) {
            progress = progress.writing(false);
            world.soon(this, () -> write(of, write.epoch()));
        } else if (step instanceof EpochStep.Drop drop) {
            dropped(of, drop.epoch(), drop.why());
        } else if (step instanceof EpochStep.Complete complete) {
            progress = progress.toldComplete(complete.epoch());
            simulation.complete(complete.epoch(), of, permits.get(complete.epoch()).manifest().attempt());
            members.values().forEach(each -> tell(each, () -> each.complete(of, complete.epoch())));
        } else if (step instanceof EpochStep.Mark mark) {
            progress = progress.marking(mark.epoch());
            world.soon(this, () -> mark(of, mark.epoch()));
        } else if (step instanceof EpochStep.Warn warn) {
            if (warn.what() == EpochProgress.Told.DROPPED) {
                world.swarm.met(Mark.EPOCH_DROPPED_THREE_TIMES);
            }
            progress = progress.told(warn.what());
        } else if (step instanceof EpochStep.Conclude) {
            members.values().forEach(each -> tell(each, () -> each.end(of)));
            progress = null;
            simulation.done(folder, attempt);
            letGo();
        } else {
            world.trace(this, "fails");
            endAttempt();
            begin();
        }
    }

    private void letGo() {
        try {
            hold.close();
        } catch (IOException e) {
            world.trace(this, "cannot let go: " + e.getMessage());
        }
    }

    private void barrier(EpochResource to, int of, long epoch) {
        if (world.swarm.strikes(Mark.BARRIER_LOST_WITH_CONNECTION, 15)) {
            simulation.cutOff(this, to);
        }
        tell(to, () -> to.barrier(of, epoch));
    }

    private void dropped(int of, long epoch, String why) {
        progress = progress.dropped(why);
        members.values().forEach(each -> tell(each, () -> each.drop(of, epoch)));
    }

    private void write(int of, long epoch) {
        if (of != attempt || progress == null) {
            return;
        }
        try {
            Manifest.Origin origin = new Manifest.Origin("0", GRAPH, "d", "p", BUCKETS, 5, Map.of(), Map.of());
            ManifestDraft draft = new ManifestDraft(origin, of, epoch);
            files.values().forEach(draft::add);
            for (int k = 0; k < members.size(); k++) {
                draft.add("source", k, new ManifestDraft.InstanceFacts(false, 0, Map.of(), List.of()));
                draft.add("sink", k, new ManifestDraft.InstanceFacts(false, 0, Map.of(), List.of()));
            }
            permits.put(epoch, folder.complete(draft.whole(Map.of("source", "source", "sink", "sink"), world.wallMillis())));
            simulation.checkKept(epoch, "complete");
            progress = progress.complete(world.millis());
        } catch (FencedException later) {
            retire(later.getMessage());
            return;
        } catch (IOException e) {
            world.trace(this, "cannot keep the manifest of epoch " + epoch + ": " + e);
            dropped(of, epoch, String.valueOf(e.getMessage()));
        }
        pump();
    }

    private void mark(int of, long epoch) {
        if (of != attempt || progress == null) {
            return;
        }
        try {
            folder.committed(permits.get(epoch));
            progress = progress.marked(epoch);
        } catch (IOException e) {
            world.later(this, AGAIN, () -> mark(of, epoch));
            return;
        }
        if (epoch % COLLECTS_EVERY == 0) {
            collect();
        }
        pump();
    }

    private void collect() {
        try {
            List<String> unneeded = Retention.deletable(folder.facts(), folder.paths(), folder.files(),
                    new Retention.Who(attempt, Set.of(), world.wallMillis()));
            world.trace(this, () -> "deletes " + unneeded);
            folder.delete(unneeded);
            simulation.checkFew(folder.facts());
        } catch (IOException e) {
            world.trace(this, "cannot collect: " + e.getMessage());
        }
    }
}
