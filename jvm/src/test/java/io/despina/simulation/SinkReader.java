package io.despina.simulation;

import io.despina.simulation.EpochWorld.Process;
import java.util.List;
import java.util.Map;

/**
 * A program that takes the rows that readers see, in {@link EpochSimulation}, and keeps how far it has come where its own death
 * does not reach. What it reads again must be what it was, and no row may be missing.
 */
final class SinkReader extends Process {
    private static final long PAUSE = 700 * EpochWorld.MILLI;
    private static final int MOST_ROWS = 20;
    private static final int DEATH_ONE_IN = 20;

    private final EpochSimulation simulation;
    /** By partition, the number of the next row. Kept with what was made of those before. */
    private final Map<Integer, Long> place;

    SinkReader(EpochSimulation simulation, String name, Map<Integer, Long> place) {
        super(simulation.world(), name);
        this.simulation = simulation;
        this.place = place;
        world.later(this, world.random.nextLong(PAUSE), this::read);
    }

    private void read() {
        for (int p = 0; p < EpochTask.PARTITIONS; p++) {
            take(p);
        }
        if (!isDead()) {
            world.later(this, world.random.nextLong(PAUSE), this::read);
        }
    }

    private void take(int partition) {
        long from = place.getOrDefault(partition, 0L);
        List<MarkedTarget.Output> rows = simulation.target().rows(partition, from, 1 + world.random.nextInt(MOST_ROWS));
        for (int k = 0; k < rows.size(); k++) {
            long number = from + k;
            if (rows.get(k).number() != number || rows.get(k).sum() != number * (number + 1) / 2) {
                throw new AssertionError("a reader finds " + rows.get(k) + " as row " + number + " of partition " + partition);
            }
        }
        if (!rows.isEmpty() && world.swarm.strikes(Mark.READER_KILLED, DEATH_ONE_IN)) {
            kill();
        }
        if (!isDead() && !rows.isEmpty()) {
            place.put(partition, from + rows.size());
        }
    }

    @Override
    void died() {
        simulation.readerDied();
    }
}
