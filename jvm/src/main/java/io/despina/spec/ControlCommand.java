package io.despina.spec;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a user may tell an operator of a running job. */
public enum ControlCommand {
    /** Open windows give the rows that they have so far; with the argument {@code close} they end too. */
    FIRE,
    /** What is gathered or kept to answer sooner goes: rows of a batch and part-filled segments leave, caches are emptied. */
    FLUSH,
    /** A source that is held goes on. */
    GO,
    /** A source takes and makes no more packets before it is told to go on. What it has sent goes on. */
    HOLD,
    /**
     * An operator goes on in other resources, which the argument names: as the job's next attempt, from its last epoch. It is for
     * the job, not for its tasks.
     */
    MOVE,
    /**
     * What was read from files is read anew: data, or code. All instances of an operator are told {@link #OPEN} and, when they
     * have, {@link #TAKE}; if one could not, all are told {@link #DROP}.
     */
    RELOAD,
    /** The task has another schedule; the argument is one in the graph's form. */
    SET_SCHEDULE,
    /** How an instance stands, see {@link InstanceStatus}. Nothing is done. */
    STATUS,
    /** A mark follows the packets through the whole graph; an instance answers when it has passed. */
    SYNC,
    /**
     * Some of the rows that have come to the operator since it was asked last, at most fifty a second of each instance; the
     * argument is an input port, the first if there is none. Who asks no more costs nothing.
     */
    TAIL;

    /** The argument of {@link #FIRE} with which windows end. */
    public static final String CLOSE = "close";
    /** Of {@link #RELOAD}: what takes long is opened, beside what is there. */
    public static final String OPEN = "open";
    /** Of {@link #RELOAD}: what has been opened takes the place of what is there. */
    public static final String TAKE = "take";
    /** Of {@link #RELOAD}: what has been opened is closed again. */
    public static final String DROP = "drop";

    /** Its name for users. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Null if there is none of that name. */
    public static ControlCommand of(String word) {
        return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst().orElse(null);
    }

    public static List<String> words() {
        return Arrays.stream(values()).map(ControlCommand::word).toList();
    }

    /** Whether it changes when the operator's task runs. */
    public boolean isOfSchedule() {
        return this == GO || this == HOLD || this == SET_SCHEDULE;
    }
}
