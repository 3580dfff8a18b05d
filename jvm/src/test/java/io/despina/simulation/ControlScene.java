package io.despina.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.simulation.ControlWork.Keeping;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;

/** One seed's jobs, deployment and faults, in {@link ControlSimulationTest}. */
final class ControlScene {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
    private static final int KEPT_PORT = 7_171;
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final int MOST_ATTEMPTS = 40;
    private static final int MOST_TRIES = 100;
    /** Most seeds need no files. */
    private static final int FILES_ONE_IN = 8;
    private static final int EPOCH_MILLIS = 100;
    private static final int MOST_FAULTS = 4;
    private static final long HOUR_MILLIS = 3_600_000;
    /** For as long as that, the disk and the clock may play tricks. */
    private static final long CALM = 60 * SECOND;

    /** Why a process cannot have a job yet: another has it, the port at which resources join, or the disk is in trouble. */
    private static final Set<String> NOT_YET = Set.of("state_in_use", "port_in_use", "state");

    private final Random random;
    private final Path folder;
    private final Map<String, Integer> seen;
    private final Mark.Swarm swarm;
    private final ControlSimulation simulation;
    private final int resources;
    private final boolean kept;
    /** Whether all resources join, and go on for others when they have lost their coordinator. */
    private final boolean outlives;
    /** Whether jobs go on by themselves. */
    private final boolean restarts;
    private final Keeping keeping;
    private final int spares;
    private final String onLoss;
    private final List<String> placed = new ArrayList<>();
    private final Blow fault;
    /** The first is the one that the fault is meant for. */
    private final List<ControlWork> works = new ArrayList<>();
    private final List<String> graphs = new ArrayList<>();
    private final ObjectNode options = Json.object();
    private final ControlSavepoint savepoint;
    /** The last job that each has run. */
    private final Map<SimulatedCoordinator, String> taken = new HashMap<>();
    /** The last that was started. */
    private SimulatedCoordinator coordinator;
    private boolean over;
    /** Once for a seed, or it may go on for ever. */
    private boolean survivorLost;

    /**
     * What all seeds of a test have come to.
     *
     * @param seen   how often a fault met with an end
     * @param counts of what they have met
     */
    record Tally(Map<String, Integer> seen, Mark.Counts counts) {
    }

    /** @param blows one of which it gets; if those are of the coordinator alone, all resources go on without it */
    ControlScene(Random random, Path folder, Tally tally, List<Blow> blows) throws IOException {
        this.random = random;
        this.folder = folder;
        seen = tally.seen;
        resources = Math.min(1 + random.nextInt(5), NAMES.size());
        kept = random.nextBoolean();
        fault = blows.get(random.nextInt(blows.size()));
        boolean goesOn = random.nextBoolean();
        boolean files = fault == Blow.NO_INPUT || random.nextInt(FILES_ONE_IN) == 0;
        keeping = Blow.GRAVE.contains(fault) ? Keeping.STATE : files ? Keeping.FILES
                : goesOn && random.nextBoolean() ? Keeping.STATE : Keeping.NOTHING;
        outlives = Blow.OF_COORDINATOR.containsAll(blows)
                || keeping == Keeping.STATE && fault != Blow.SPARE_KILLED && random.nextBoolean();
        restarts = goesOn || keeping == Keeping.STATE;
        spares = fault == Blow.SPARE_KILLED ? 1 : random.nextInt(2);
        onLoss = random.nextBoolean() ? "wait" : "move";
        swarm = new Mark.Swarm(random, tally.counts, keeping == Keeping.STATE ? MOST_FAULTS : 0);
        swarm.never(Mark.LOST_FSYNC, Mark.LOST_NAME);       // with a power failure the job is refused, and rightly
        if (Set.of(Blow.DRAIN, Blow.NOW, Blow.SAVEPOINT).contains(fault)) {
            swarm.never(Mark.RESOURCE_KILLED_IN_CONCLUSION);        // who has stopped a job does not wait for another attempt
        }
        boolean leases = blows.stream().anyMatch(Blow.OF_REGISTRY::contains);
        simulation = new ControlSimulation(random, swarm, leases ? this::count : null);
        for (int k = 0; k < 3; k++) {
            placed.add(NAMES.get(random.nextInt(resources)));
        }
        int jobs = random.nextInt(3) == 0 && !leases ? 2 : 1;
        for (int k = 0; k < jobs; k++) {
            works.add(new ControlWork(folder.resolve("job-" + k), random.nextInt(random.nextInt(4) == 0 ? 10 : 4_000),
                    fault == Blow.NO_INPUT && k == 0 ? "none" : "in.txt", keeping));
            boolean lasts = Blow.OF_COORDINATOR.containsAll(blows);     // so that there is something to take over
            if (keeping == Keeping.STATE && (lasts || random.nextInt(4) == 0)) {
                works.get(k).memory().slow();
            }
        }
        if (fault == Blow.POISON_RECORD) {
            works.get(0).memory().poison(random.nextInt(Math.max(1, works.get(0).rows())));
        }
        savepoint = new ControlSavepoint(simulation, folder, works.get(0));
    }

    private String losses() {
        boolean none = outlives || resources == 1 && kept;
        return "\"spares\": " + (none ? 0 : spares) + ", \"on_loss\": \"" + onLoss + "\"";
    }

    /** @return when it was over, by its clock */
    long play() throws Exception {
        Path secret = Files.createFile(folder.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret, "a secret of thirty-two characters");
        String deployment = ControlWork.deployment(NAMES.subList(0, resources), outlives ? resources : kept ? 1 : 0,
                KEPT_PORT, losses(), placed);
        options.put("deployment_text", deployment).put("directory", folder.toString()).put("started_at_ms", 0)
                .put("secret_file", secret.toString());
        if (keeping == Keeping.STATE) {
            options.put("state", "state").put("epoch_ms", EPOCH_MILLIS);
            if (outlives) {
                options.put("coordinator_lost_ms", 2_000 + random.nextInt(8_000));
            }
            if (simulation.registry() != null) {     // on another machine its ports would be free, and resources join there
                options.put("standby", true);
            }
        }
        works.forEach(work -> graphs.add(work.graph(1 << 10 + random.nextInt(6))));
        simulation.whenCoordinatorDies(this::coordinatorDied);
        simulation.whenPartMoves(this::partMoves);
        simulation.time().at(CALM, this::calm);
        begin();
        if (simulation.registry() != null) {
            endLosers();
        }
        for (int k = 0; k < (outlives ? resources : kept ? 1 : 0); k++) {
            simulation.keep(NAMES.get(k), KEPT_PORT + k);
        }
        command();
        disturb();
        for (ControlWork work : works) {
            end(work);
            if (keeping != Keeping.STATE) {
                assertEquals(1 + work.status().path("restarts").asInt(), work.status().path("attempt").asInt());
            }
            check(work);
        }
        startAgain();
        goOnFromSavepoint();
        over = true;
        simulation.close();
        for (ControlWork work : works) {
            work.checkFiles(Blow.LOSING.contains(fault));
        }
        return simulation.time().now();
    }

    /** What its users ask of the first job. */
    private void command() {
        new ControlSync(simulation, works.get(0), seen).askAgainAndAgain();
        if (keeping == Keeping.STATE) {
            ControlMove move = new ControlMove(simulation, works.get(0), new Random(works.get(0).rows()), seen);
            move.askAgainAndAgain(List.of("source", "relay", "sink"), NAMES.subList(0, resources));
            if (works.get(0).isKeyed()) {
                move.keysAgainAndAgain();
            }
        }
    }

    private void calm() {
        swarm.calm();
        if (simulation.registry() != null) {
            simulation.registry().calm();
        }
    }

    /** A process that is to run all that is not done. */
    private void begin() {
        coordinator = simulation.start();
        coordinator.run(() -> coordinator.coordinator().restarts(submission -> restarts));
        works.forEach(work -> submit(work, coordinator));
    }

    private void submit(ControlWork work, SimulatedCoordinator to) {
        if (over || to.isDead() || work.by() != null && work.hasEnded() || work.status() != null) {
            work.leave();
            return;
        }
        to.runAside(() -> {
            try {
                String graph = graphs.get(works.indexOf(work));
                String job = to.coordinator().run(graph, "test", work.options(options)).path("job").asText();
                if (!to.isDead()) {
                    simulation.trace(to, "runs " + job);
                    work.taken(to, job);
                    taken.put(to, job);
                }
            } catch (Refusal no) {
                refused(work, to, no);
            } catch (CancellationException killed) {
                assertTrue(to.isDead(), "it waits for something else");
            }
        });
    }

    private void refused(ControlWork work, SimulatedCoordinator to, Refusal no) {
        simulation.trace(to, "is refused: " + no.getMessage());
        if (to.isDead()) {
            return;
        }
        boolean stoodBy = no.getMessage().startsWith("the run for which this one stood by");       // that may have failed
        if (no.rule().equals("state_ended") && !stoodBy) {
            work.ended();
        } else if (stoodBy || NOT_YET.contains(no.rule())) {
            work.asked();
            endIdle(to);
            if (simulation.registry() == null) {
                simulation.time().after(SECOND / 2, () -> submit(work, to));
            } else {
                simulation.kill(to);        // its user types it again
            }
        } else {
            throw new AssertionError(no.rule() + ": " + no.getMessage(), no);
        }
    }

    /** A command ends with its jobs, and its port is free then. */
    private void endIdle(SimulatedCoordinator but) {
        List<SimulatedCoordinator> idle = works.stream().map(ControlWork::by).distinct()
                .filter(by -> by != null && by != but && by.listens() && works.stream().allMatch(each -> each.isOver(by)))
                .toList();
        works.stream().filter(each -> idle.contains(each.by())).forEach(ControlWork::letGo);
        idle.forEach(simulation::kill);
    }

    /** A command ends when it has lost its job to another, and its resources look for that one. */
    private void endLosers() {
        SimulatedCoordinator by = works.get(0).by();
        simulation.living().stream().filter(each -> each != by && each.listens() && hasLost(each)).forEach(simulation::kill);
        if (!over) {
            simulation.time().after(SECOND, this::endLosers);
        }
    }

    private boolean hasLost(SimulatedCoordinator one) {
        try {
            String job = taken.get(one);
            return job != null && one.coordinator().hasEnded(job);
        } catch (Refusal e) {
            throw new AssertionError(e);
        }
    }

    /** Somebody starts it again, after a while. */
    private void coordinatorDied(SimulatedCoordinator dead) {
        simulation.time().after(random.nextLong(3 * SECOND), () -> {
            if (!over && coordinator == dead && works.stream().anyMatch(work -> !work.hasEnded())) {
                begin();
            } else if (!over) {     // what had ended in it, so that nobody asks for it any more
                works.stream().filter(work -> work.isLeftWith(dead) && !work.hasEnded())
                        .forEach(work -> submit(work, coordinator));
            }
        });
    }

    /** Whoever got a part beside its own may be lost in its turn. */
    private void partMoves(SimulatedResource to) {
        if (survivorLost || random.nextInt(3) > 0) {
            return;
        }
        survivorLost = true;
        simulation.time().after(random.nextLong(SECOND / 5), () -> {
            if (!over && !to.isDead()) {
                swarm.met(Mark.SURVIVOR_LOST_AFTER_MOVE);
                simulation.trace(to, "is killed with the part of another");
                to.kill();
            }
        });
    }

    /** Those that were hit, until they end well; another fault may come meanwhile, and a last one may still wear off. */
    private void startAgain() throws Exception {
        for (int attempt = 2; Blow.LOSING.contains(fault) && works.stream().anyMatch(work -> !work.isDone()); attempt++) {
            assertTrue(attempt < MOST_ATTEMPTS, "it never ends well");
            List<ControlWork> again = works.stream().filter(work -> !work.isDone()).toList();
            // what is frozen may hold a lock until it is thawed
            long then = simulation.time().now() + (attempt == 2 ? 0 : SECOND);
            simulation.time().at(then, () -> { });
            simulation.runUntil(() -> simulation.time().now() >= then);
            for (ControlWork work : again) {
                ObjectNode answer = work.by().coordinator().startAgain(work.job());
                assertEquals(work.status().path("attempt").asInt() + 1, answer.path("attempt").asInt());
            }
            if (attempt == 2 && random.nextBoolean()) {
                disturb();
            }
            for (ControlWork work : again) {
                int before = work.status().path("attempt").asInt();
                end(work);
                assertTrue(work.status().path("attempt").asInt() > before, work.status().toString());
                work.checkRows();
                count("again " + work.end());
            }
        }
    }

    /** As if the job had not gone on after it; another loss may come meanwhile. */
    private void goOnFromSavepoint() throws IOException {
        ControlWork next = savepoint.successor();
        if (next == null) {
            return;
        }
        swarm.met(Mark.SAVEPOINT_RESTORED);
        swarm.calm();
        works.add(next);
        graphs.add(next.graph(1 << 10));
        if (coordinator.isDead()) {
            begin();
        } else {
            submit(next, coordinator);
        }
        if (random.nextBoolean()) {
            simulation.afterDeployment(random.nextInt(1_000), () -> strikeResource(Blow.KILL));
        }
        end(next);
        check(next);
    }

    private void end(ControlWork work) {
        simulation.runUntil(work::hasEnded);
        work.look();
        for (int k = 0; k < MOST_ATTEMPTS && keeping == Keeping.STATE && work.isForAnother(); k++) {
            work.again();
            simulation.time().after(SECOND, () -> submit(work, coordinator));
            simulation.runUntil(work::hasEnded);
            work.look();
        }
    }

    private void disturb() {
        if (random.nextInt(5) == 0) {
            // while resources start and join
            simulation.time().after(random.nextLong(2 * SECOND), this::strike);
        } else {
            // soon after, or late: at the first words, in the middle, or while it commits
            simulation.afterDeployment(random.nextInt(1 << 2 + random.nextInt(11)), this::strike);
        }
    }

    private void strike() {
        if (over) {
            return;
        }
        switch (fault) {
            case DRAIN, NOW -> stop(works.get(0), fault == Blow.DRAIN ? "drain" : "now");
            case COORDINATOR_KILLED -> killCoordinator();
            case TWO_COORDINATORS -> another();
            case REGISTRY_AWAY -> {
                simulation.registry().away(random.nextLong(8 * SECOND));
                if (random.nextBoolean()) {
                    killCoordinator();
                } else {
                    another();
                }
            }
            case CUT_OFF -> cutOff();
            case POWER_FAILURE -> {
                swarm.met(Mark.POWER_FAILURE);
                simulation.powerFailure();
            }
            case CLOCK_JUMP -> jump();
            case SAVEPOINT -> savepoint.askAgainAndAgain(swarm, random, this::strikeStopped);
            case ASLEEP -> sleep();
            case SPARE_KILLED -> strikeSpare(MOST_TRIES);
            default -> strikeResource(fault);
        }
    }

    /** A resource is lost while the job stops with a savepoint. */
    private void strikeStopped() {
        ControlWork work = works.get(0);
        if (!over && !work.hasEnded() && simulation.resource(NAMES.get(0)) != null) {
            swarm.met(Mark.RESOURCE_KILLED_IN_STOP_WITH_SAVEPOINT);
            simulation.trace(simulation.resource(NAMES.get(0)), "is killed while the job stops");
            simulation.resource(NAMES.get(0)).kill();
        }
    }

    /** The machine on which all runs sleeps for a minute, and wakes up. */
    private void sleep() {
        swarm.met(Mark.MACHINE_ASLEEP);
        simulation.trace("the machine", "sleeps");
        simulation.sleep(MINUTE);
    }

    /** Back or on, with locks or with leases: these are watched by a clock that nobody sets. */
    private void jump() {
        swarm.met(Mark.CLOCK_JUMP);
        simulation.jump(random.nextBoolean() ? -HOUR_MILLIS : HOUR_MILLIS);
    }

    private void stop(ControlWork work, String mode) {
        if (work.by() == null) {
            return;
        }
        work.by().run(() -> {
            try {
                work.by().coordinator().stop(work.job(), mode);
            } catch (Refusal e) {
                throw new AssertionError(e);
            }
        });
    }

    private void killCoordinator() {
        SimulatedCoordinator one = simulation.anyCoordinator();
        if (one != null) {
            simulation.kill(one);
        }
        if (random.nextInt(3) == 0) {
            // and once more, in its recovery
            simulation.time().after(random.nextLong(6 * SECOND), () -> {
                SimulatedCoordinator next = over ? null : simulation.anyCoordinator();
                if (next != null) {
                    simulation.kill(next);
                }
            });
        }
    }

    private void another() {
        if (random.nextBoolean()) {
            simulation.trace(coordinator, "is frozen");
            coordinator.freeze(random.nextLong(10 * SECOND));
        }
        swarm.met(Mark.TWO_COORDINATORS);
        begin();
    }

    /** Both live, on machines of their own, and only the second reaches the registry and the resources. */
    private void cutOff() {
        SimulatedCoordinator first = coordinator;
        if (!first.isDead()) {
            count("cut off");
            simulation.cutOff(first, random.nextLong(20 * SECOND));
        }
        begin();
    }

    /** While it stands by, or as it takes the part of another that has just been lost. */
    private void strikeSpare(int tries) {
        SimulatedResource spare = over ? null : simulation.resource("~spare-1");
        if (spare == null) {
            if (!over && tries > 0) {
                simulation.time().after(SECOND / 100, () -> strikeSpare(tries - 1));
            }
            return;
        }
        boolean needed = restarts && random.nextBoolean();
        if (needed) {
            strikeResource(Blow.KILL);
        }
        simulation.time().after(needed ? random.nextLong(SECOND / 5) : 0, () -> {
            if (!over && !spare.isDead()) {
                swarm.met(Mark.SPARE_LOST);
                simulation.trace(spare, "is killed");
                spare.kill();
            }
        });
    }

    private void strikeResource(Blow blow) {
        SimulatedResource one = simulation.resource(NAMES.get(random.nextInt(resources)));
        if (over || one == null) {
            return;
        }
        simulation.trace(one, "meets " + blow);
        switch (blow) {
            case BREAK -> breakOne(MOST_TRIES);
            case KILL -> one.kill();
            case CUT -> one.connection().cut();
            case FREEZE -> one.freeze(6 * SECOND + random.nextLong(20 * SECOND));
            case SHORT_FREEZE -> one.freeze(random.nextLong(SECOND));
            case STALL -> one.connection().stall(random.nextBoolean(), 6 * SECOND + random.nextLong(10 * SECOND));
            case SHORT_STALL -> one.connection().stall(random.nextBoolean(), random.nextLong(SECOND));
            default -> { }
        }
    }

    /** As soon as there is a channel that has both its ends. */
    private void breakOne(int tries) {
        if (!simulation.network().breakOne() && tries > 0) {
            simulation.time().after(SECOND / 2_000, () -> breakOne(tries - 1));
        }
    }

    private void check(ControlWork work) throws IOException {
        Blow its = work == works.get(0) || Blow.LOSING.contains(fault) ? fault : Blow.NONE;
        count((keeping == Keeping.STATE ? "keeping " : "") + its
                + (work.status().path("restarts").asInt() > 0 ? " restarted " : " ") + (work.wasResumed() ? "resumed " : "")
                + work.end());
        Set<String> allowed = restarts && Blow.LOSING.contains(its) ? Set.of("done") : switch (its) {
            case NONE, SHORT_FREEZE, SHORT_STALL, SPARE_KILLED, POISON_RECORD -> Set.of("done");
            case COORDINATOR_KILLED, TWO_COORDINATORS, REGISTRY_AWAY, CUT_OFF -> Set.of("done");
            case POWER_FAILURE, CLOCK_JUMP, ASLEEP -> Set.of("done");
            case DRAIN, NOW, SAVEPOINT -> Set.of("done", "stopped");
            case NO_INPUT -> Set.of("failed operator");
            case BREAK -> Set.of("done", "failed channel");
            case KILL, CUT, FREEZE, STALL -> Set.of("done", "failed resource_lost", "failed resource_start");
        };
        assertTrue(allowed.contains(work.end()), its + " ends as " + work.status());
        work.checkRows();
        if (simulation.registry() != null) {
            assertNull(simulation.registry().fault());
        }
        if (outlives && work.isDone() && work.wasTakenOver()) {
            swarm.met(Mark.TAKEN_OVER);
        }
        if (work.isDone() && work.by() != null) {
            int attempt = work.status().path("attempt").asInt();
            assertTrue(attempt > simulation.unheardIn(work.job()), "attempt " + attempt + " has not ended everywhere");
        }
        if (work.memory() != null && work.memory().wasPoisoned()) {
            swarm.met(Mark.POISON_RECORD);
        }
    }

    private void count(String what) {
        seen.merge(what, 1, Integer::sum);
    }

    String trace() {
        return simulation.trace();
    }

    @Override
    public String toString() {
        return fault + " of " + works.stream().map(work -> work.rows() + " rows").toList() + " on " + placed + " of "
                + resources + (outlives ? " that outlive it" : kept ? " with a kept one" : "")
                + (restarts ? ", restarting, " + losses() : "")
                + ", keeping " + keeping + ": " + simulation;
    }
}
