package io.despina.simulation;

import java.util.Set;

/** What is done to a job of a {@link ControlScene}, or to a process that it needs. */
enum Blow {
    NONE, DRAIN, NOW, NO_INPUT, BREAK, KILL, CUT, FREEZE, STALL, SHORT_FREEZE, SHORT_STALL, SPARE_KILLED,
    COORDINATOR_KILLED, TWO_COORDINATORS, POWER_FAILURE, CLOCK_JUMP, SAVEPOINT, POISON_RECORD, ASLEEP, REGISTRY_AWAY, CUT_OFF;

    /** After which the job is started again, until it ends well. */
    static final Set<Blow> LOSING = Set.of(BREAK, KILL, CUT, FREEZE, STALL);
    /** Those that the coordinator alone meets. */
    static final Set<Blow> OF_COORDINATOR = Set.of(COORDINATOR_KILLED, TWO_COORDINATORS, REGISTRY_AWAY, CUT_OFF);
    /** Of these, those that need a registry. */
    static final Set<Blow> OF_REGISTRY = Set.of(REGISTRY_AWAY, CUT_OFF);
    /** Those that only a job meets or survives which keeps its state. */
    static final Set<Blow> GRAVE = Set.of(COORDINATOR_KILLED, TWO_COORDINATORS, POWER_FAILURE, CLOCK_JUMP, SAVEPOINT,
            POISON_RECORD, ASLEEP, REGISTRY_AWAY, CUT_OFF);
}
