package io.despina.simulation;

import io.despina.control.epoch.Retention;
import io.despina.simulation.EpochWorld.Process;
import io.despina.snapshot.EpochFacts;
import io.despina.snapshot.FolderFacts;
import io.despina.snapshot.FolderPaths;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * One seed of a job with a state folder: coordinators and resources that die, freeze, are cut off and come again over a disk that
 * loses what was not forced, until every row is out. The folder, the files, and the decisions are those of production.
 */
final class EpochSimulation {
    static final String DOWN = "the target is down";
    private static final List<String> PLACES = List.of("a", "b", "c");
    private static final int MOST_EVENTS = 300_000;
    private static final long SILENCE = 1_500 * EpochWorld.MILLI;
    private static final long TICK = 250 * EpochWorld.MILLI;
    /** After which nothing more is broken. */
    private static final long CALM = 60_000 * EpochWorld.MILLI;
    private static final int KEEP_ALL_ONE_IN = 4;
    /** After the last fault most seeds have a few epochs more, which is where what it broke shows. */
    private static final int WHOLE_ONE_IN = 10;
    private static final int MOST_ROWS_LEFT = 60;
    private static final int BASE_LOOKED_AT_ONE_IN = 2;
    /** The last three, and the last that is committed; with them, for each base of the last one, an epoch that has another. */
    private static final int MOST_EPOCHS = 4;

    private final EpochWorld world;
    /** Read by nobody of the job. */
    private final StateFolder watched;
    private final MarkedTarget target = new MarkedTarget();
    private final Process targetProcess;
    /** By place: those that are there, for the coordinator. */
    private final Map<String, EpochResource> resources = new TreeMap<>();
    private final List<EpochResource> everyone = new ArrayList<>();
    /** Epochs of which sinks were told. */
    private final Set<Long> completed = new HashSet<>();
    private final Set<Long> kept = new HashSet<>();
    private final List<Long> rows = new ArrayList<>();
    /** By partition: how many any source has ever sent. */
    private final long[] sent = new long[EpochTask.PARTITIONS];
    /** Whether the input goes on when nothing more can happen. */
    private boolean goesOn;
    /** Those that live. */
    private final List<EpochCoordinator> coordinators = new ArrayList<>();
    /** To which resources go that start now. */
    private EpochCoordinator coordinator;
    private long downUntil;
    /** By partition, which row the reader of the sink takes next. */
    private final Map<Integer, Long> read = new TreeMap<>();
    /** Whether its sinks keep all rows. They take a tenth of the time more. */
    private final boolean keepsAll;
    private int started;
    private boolean damaged;
    private boolean powerFailed;
    private boolean done;
    private String refused;

    EpochSimulation(long seed, Mark.Counts counts) {
        world = new EpochWorld(seed, counts);
        watched = StateFolder.at(new LocalStore(world.disk.path().resolve("state")), EpochCoordinator.GRAPH);
        keepsAll = seed % KEEP_ALL_ONE_IN == 0;
        world.power(this::powerFailure);
        targetProcess = new Process(world, "target") {
            @Override
            void died() {
                throw new AssertionError("it never dies");
            }
        };
        for (int p = 0; p < EpochTask.PARTITIONS; p++) {
            rows.add((long) world.random.nextInt(world.random.nextInt(4) == 0 ? 5 : 150));
        }
        goesOn = world.random.nextInt(WHOLE_ONE_IN) == 0;
    }

    EpochWorld world() {
        return world;
    }

    Process targetProcess() {
        return targetProcess;
    }

    boolean keepsAll() {
        return keepsAll;
    }

    long rowsOf(int partition) {
        return rows.get(partition);
    }

    void sent(int partition, long number) {
        sent[partition] = Math.max(sent[partition], number + 1);
    }

    /** Ends the input soon. Whoever sends it again sends the same. */
    private void endSoon() {
        for (int p = 0; p < sent.length; p++) {
            rows.set(p, Math.min(rows.get(p), sent[p] + world.random.nextInt(MOST_ROWS_LEFT)));
        }
        goesOn = true;
    }

    /** How many resources the next attempt has. */
    int parallelism() {
        return 1 + world.random.nextInt(PLACES.size());
    }

    /** @return how it ended */
    String run() {
        try {
            startCoordinator();
            startReader();
            world.time.after(TICK, this::tick);
            for (int k = 0; !done && refused == null; k++) {
                if (k == MOST_EVENTS || !world.step()) {
                    throw new AssertionError("hangs");
                }
            }
            if (refused == null) {
                checkEnd();
            } else if (!damaged) {
                throw new AssertionError("refused without damage: " + refused);
            }
            return (refused == null ? "done" : "refused") + " after " + world.killed() + " deaths at " + world.millis();
        } finally {
            world.disk.remove();
        }
    }

    private void checkEnd() {
        world.swarm.calm();
        for (int k = 0; k < MOST_EVENTS && !isQuiet(); k++) {
            world.step();
        }
        for (int p = 0; p < rows.size(); p++) {
            if (target.visible().getOrDefault(p, 0L) != rowsOf(p)) {
                throw new AssertionError("partition " + p + " has " + target.visible().get(p) + " of " + rowsOf(p) + " rows");
            }
        }
        if (!read.equals(target.visible())) {
            throw new AssertionError("the reader has " + read + " of " + target.visible());
        }
        if (!world.disk.openFiles().isEmpty()) {
            throw new AssertionError("files are open: " + world.disk.openFiles());
        }
    }

    private boolean isQuiet() {
        return read.equals(target.visible()) && resources.values().stream().allMatch(each -> each.isDead() || each.task() == null)
                && world.disk.openFiles().isEmpty();
    }

    /** Everything that happens to a job from outside. */
    private void tick() {
        if (done) {
            return;
        }
        if (world.time.now() > CALM) {
            world.swarm.calm();
        }
        if (world.swarm.isSpent() && !goesOn) {
            endSoon();
        }
        coordinators.removeIf(Process::isDead);
        everyone.removeIf(Process::isDead);
        if (coordinators.isEmpty()) {
            startCoordinator();
        } else if (coordinator.isDead()) {
            coordinator = coordinators.get(0);
        } else if (world.swarm.strikes(Mark.TWO_COORDINATORS, 40)) {
            EpochCoordinator before = coordinator;
            if (world.random.nextBoolean()) {
                before.freeze(world.random.nextLong(4_000) * EpochWorld.MILLI);
            }
            startCoordinator();
        }
        for (String place : PLACES) {
            EpochResource there = resources.get(place);
            if (there == null || there.isDead() || there.coordinator() != coordinator) {
                join(place);
            }
        }
        troubles();
        world.time.after(TICK, this::tick);
    }

    private void troubles() {
        EpochResource one = resources.get(PLACES.get(world.random.nextInt(PLACES.size())));
        if (one != null && !one.isDead()) {
            if (world.swarm.strikes(Mark.CONNECTION_CUT, 40)) {
                cutOff(coordinator, one);
            }
            if (world.swarm.strikes(Mark.ZOMBIE_COMMITS, 40)) {
                freeze(one);
            }
        }
        if (world.swarm.strikes(Mark.POWER_FAILURE, 60)) {
            powerFailure();
        }
        if (world.swarm.strikes(Mark.CLOCK_JUMP, 60)) {
            world.wallJump += world.random.nextBoolean() ? 3_600_000 : -3_600_000;
        }
        if (world.swarm.strikes(Mark.TARGET_DOWN_FOR_TEN_EPOCHS, 60)) {
            downUntil = world.time.now() + 12_000 * EpochWorld.MILLI;
        }
        if (!completed.isEmpty() && world.swarm.strikes(Mark.MARKER_PRUNED, 60)) {
            damaged = true;
            target.prune(completed.stream().mapToLong(each -> each).max().orElseThrow());
        }
        rot(Mark.ROTTEN_MANIFEST, "manifest");
        rot(Mark.ROTTEN_SECTION, "/data/");
        if (world.swarm.threatens(Mark.ROTTEN_BASE) && world.random.nextInt(BASE_LOOKED_AT_ONE_IN) == 0) {
            rotBase();
        }
    }

    /** The base of the newest epoch, where an older one does not need it. */
    private void rotBase() {
        List<EpochFacts> whole;
        try {
            whole = watched.facts().epochs().stream().filter(each -> each.standing().isWhole()).toList();
        } catch (IOException unreadable) {
            return;
        }
        if (whole.size() < 2) {
            return;
        }
        Set<String> bases = whole.get(whole.size() - 1).manifest().bases();
        boolean spared = whole.stream().anyMatch(each -> bases.stream().noneMatch(each.manifest()::names));
        if (spared && world.swarm.strikes(Mark.ROTTEN_BASE, 1)) {
            flip("/state/" + List.copyOf(bases).get(world.random.nextInt(bases.size())));
        }
    }

    private void rot(Mark mark, String of) {
        if (!world.swarm.threatens(mark)) {
            return;
        }
        List<String> files = world.disk.files().stream().filter(path -> path.contains(of)).toList();
        if (!files.isEmpty() && world.swarm.strikes(mark, 60)) {
            flip(files.get(world.random.nextInt(files.size())));
        }
    }

    private void flip(String path) {
        try {
            world.disk.flip(path, world.random);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        world.trace(targetProcess, "sees a bit flip in " + path);
        damaged = true;
        coordinators.forEach(Process::kill);
        List.copyOf(everyone).forEach(Process::kill);
    }

    private void powerFailure() {
        world.trace(targetProcess, "sees the power fail");
        coordinators.forEach(Process::kill);
        List.copyOf(everyone).forEach(Process::kill);
        world.troubles.powerFailure();
        powerFailed = true;
        damaged |= world.troubles.hasLied();
    }

    private void startCoordinator() {
        coordinator = new EpochCoordinator(this, "coordinator-" + ++started);
        coordinators.add(coordinator);
        coordinator.begin();
    }

    private void startReader() {
        new SinkReader(this, "reader-" + ++started, read);
    }

    void readerDied() {
        world.time.after(world.random.nextLong(SILENCE), this::startReader);
    }

    private void join(String place) {
        EpochResource made = new EpochResource(this, place, place + "-" + ++started, coordinator);
        resources.put(place, made);
        everyone.add(made);
    }

    /** The resources that serve a coordinator. */
    List<EpochResource> present(EpochCoordinator of) {
        return resources.values().stream().filter(each -> !each.isDead() && each.coordinator() == of && !each.isFrozen())
                .toList();
    }

    /** Neither hears of the other any more: both find out by the silence. The resource goes on for a while. */
    void cutOff(EpochCoordinator from, EpochResource one) {
        world.cut(from, one);
        silent(one);
    }

    /** It does nothing for so long that it counts as lost, and then goes on for a while. */
    void freeze(EpochResource one) {
        one.freeze(SILENCE + world.random.nextLong(2 * SILENCE));
        silent(one);
    }

    private void silent(EpochResource one) {
        world.time.after(SILENCE, () -> {
            EpochCoordinator its = one.coordinator();
            if (resources.get(one.place()) == one) {
                resources.remove(one.place());
            }
            world.later(its, 0, () -> its.lost(one));
            world.later(one, world.random.nextLong(SILENCE), one::kill);
        });
    }

    void resourceDied(EpochResource one) {
        EpochCoordinator its = one.coordinator();
        world.soon(its, () -> its.lost(one));
    }

    void coordinatorDied(EpochCoordinator one) {
        for (EpochResource each : everyone) {
            if (each.coordinator() == one) {
                world.soon(each, each::kill);
            }
        }
    }

    MarkedTarget target() {
        return target;
    }

    /** What lies in the folder; what a manifest names must be there. */
    FolderFacts read(StateFolder folder) throws IOException {
        FolderFacts facts = folder.facts();
        List<String> files = world.disk.files();
        for (EpochFacts each : facts.epochs()) {
            if (each.standing() == EpochFacts.Standing.HALF) {
                world.swarm.met(Mark.HALF_MADE_MANIFEST);
            }
            if (each.standing() == EpochFacts.Standing.ROTTEN && !damaged && !powerFailed
                    && files.contains("/state/" + folder.paths().manifest(each.epoch()))) {
                throw new AssertionError("epoch " + each.epoch() + " is kept, and " + each.problem());
            }
        }
        return facts;
    }

    void refuse(String why) {
        world.trace(targetProcess, "hears: " + why);
        refused = why;
    }

    /** The job has ended: what it leaves is what its last epochs name. */
    void done(StateFolder folder, int attempt) {
        done = true;
        try {
            Retention.Who who = new Retention.Who(attempt, Set.of(), world.wallMillis() + 86_400_000);
            folder.delete(Retention.deletable(folder.facts(), folder.paths(), folder.files(), who));
            FolderFacts left = read(folder);
            Set<String> named = new HashSet<>();
            left.epochs().stream().filter(each -> each.manifest() != null)
                    .forEach(each -> each.manifest().files().forEach(file -> named.add("/state/" + file.path())));
            long newest = left.epochs().stream().filter(each -> each.standing().isWhole()).mapToLong(EpochFacts::epoch).max()
                    .orElseThrow();
            for (String file : world.disk.files()) {
                String path = file.substring("/state/".length() + folder.paths().folder().length());
                if (FolderPaths.purpose(path) == FolderPaths.Purpose.DATA && !named.contains(file)
                        && FolderPaths.epoch(path) < newest) {
                    throw new AssertionError(file + " is left");
                }
            }
        } catch (IOException e) {
            world.trace(targetProcess, "cannot look at what is left: " + e.getMessage());
        }
    }

    /**
     * Sinks are told to commit. An attempt may be late to tell what it has kept itself: its successor tells the same.
     *
     * @param owner the attempt that has kept the manifest
     */
    void complete(long epoch, int attempt, int owner) {
        checkKept(epoch, "complete");
        completed.add(epoch);
        if (owner > attempt) {
            throw new AssertionError("epoch " + epoch + " of attempt " + owner + " is completed by attempt " + attempt);
        }
    }

    /** After a collection: epochs take no more room the longer a job runs. */
    void checkFew(FolderFacts folder) {
        List<EpochFacts> whole = folder.epochs().stream().filter(each -> each.standing().isWhole()).toList();
        if (!whole.isEmpty() && whole.size() > MOST_EPOCHS + whole.get(whole.size() - 1).manifest().bases().size()) {
            throw new AssertionError("epochs " + whole.stream().map(EpochFacts::epoch).toList() + " are kept");
        }
    }

    void checkKept(long epoch, String what) {
        byte[] manifest = world.disk.durable("/state/" + EpochCoordinator.GRAPH + "/epochs/" + epoch + ".manifest.json");
        if (manifest == null && !kept.contains(epoch)) {
            throw new AssertionError("epoch " + epoch + " is " + what + ", and a power failure could lose its manifest");
        }
        kept.add(epoch);
    }

    /** @return why it was not committed, or null */
    String commit(int attempt, long epoch, List<MarkedTarget.Part> parts) {
        checkKept(epoch, "committed");
        if (attempt < coordinator.attempt()) {
            world.swarm.met(Mark.ZOMBIE_COMMITS);
        }
        if (world.time.now() < downUntil) {
            return DOWN;
        }
        try {
            target.commit(parts);
            return null;
        } catch (MarkedTarget.PrunedException e) {
            return e.getMessage();
        }
    }

    String trace() {
        return world.trace();
    }
}
