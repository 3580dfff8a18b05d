package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.operator.OperatorContext;
import io.despina.spec.ControlCommand;
import io.despina.spec.Windows;
import io.despina.state.KeyedTable;
import io.despina.state.WindowTables;

/** The rows of open windows that a user has asked for, until all have left. It is in no snapshot: none is taken meanwhile. */
final class OpenFiring {

    /** Writes the row of a group. */
    @FunctionalInterface
    interface Emit {
        void row(KeyedTable<Accumulator> groups, int entry, long end) throws Exception;
    }

    /** Groups that have windows of their own, by the numbers of their entries. */
    interface OpenGroups {
        /** Numbers are below this. */
        int limit();

        /** How many open windows an entry's group has; 0 where there is no group. */
        int windows(int entry);

        /** Writes the row that a window of a group has so far, if it is to have one. @param k of {@link #windows} */
        void row(int entry, int k) throws Exception;

        /** The windows of a group end: their rows have left. */
        void close(int entry);
    }

    /**
     * The windows of an operator.
     *
     * @param tables of windows, or of panes
     * @param panes  null if windows are not composed
     * @param closed the end of the last window that has given its last rows
     */
    record Windowed(OperatorContext context, Windows windows, WindowTables<Accumulator> tables, Panes panes, long closed) {

        private void forget() {
            while (!tables.isEmpty()) {
                tables.removeFirst();
            }
            if (panes != null) {
                panes.restored();
            }
        }
    }

    private final boolean closes;
    /** Windows, or groups with windows of their own, before this one have given their rows. */
    private int window;
    /** The end of the last one that has, where windows are composed. */
    private long end = Long.MIN_VALUE;
    /** The groups of a composed one whose rows leave; null between two. */
    private KeyedTable<Accumulator> merged;
    /** So many groups of that window, or windows of that group, have given theirs. */
    private int left;

    private OpenFiring(boolean closes) {
        this.closes = closes;
    }

    /**
     * What is asked for behind a command of a user; wakes the operator if its rows are to leave.
     *
     * @param before what was asked for before it; null for nothing
     */
    static OpenFiring after(ControlCommand command, String argument, OpenFiring before, OperatorContext context) {
        if (command != ControlCommand.FIRE) {
            return before;
        }
        if (!argument.isEmpty() && !argument.equals(ControlCommand.CLOSE)) {
            throw new IllegalArgumentException("fire takes no argument, or `" + ControlCommand.CLOSE + "`; it is `" + argument
                    + "`");
        }
        context.wake();
        // windows that are about to end give their last rows once, whatever else is asked of them meanwhile
        return before != null && before.closes ? before : new OpenFiring(!argument.isEmpty());
    }

    /** Whether the windows end with these rows. */
    boolean closes() {
        return closes;
    }

    /** The number of the next window whose rows have not left, from 0. */
    int window() {
        return window;
    }

    /** Its rows have left. */
    void leftWindow() {
        window++;
    }

    /** Writes the rows. @return false if the output is full: call again, with nothing changed meanwhile */
    boolean leave(Windowed of, Emit emit) throws Exception {
        for (long next = next(of); next != Long.MAX_VALUE; next = next(of)) {
            if (merged == null) {
                merged = of.panes == null ? of.tables.table(window) : of.panes.merged(next - of.windows.size(), next);
            }
            for (; left < merged.limit(); left++) {
                if (!of.context.hasRoom()) {
                    return false;
                }
                emit.row(merged, left, next);
            }
            merged = null;
            left = 0;
            end = next;
            window++;
        }
        if (closes) {
            of.forget();
        }
        return true;
    }

    /** Writes the rows of groups, each with windows of its own. @return as of the other */
    boolean leave(OperatorContext context, OpenGroups of) throws Exception {
        for (; window < of.limit(); window++) {
            int open = of.windows(window);
            for (; left < open; left++) {
                if (!context.hasRoom()) {
                    return false;
                }
                of.row(window, left);
            }
            if (closes && open > 0) {
                of.close(window);
            }
            left = 0;
        }
        return true;
    }

    /** The end of the next window; {@link Long#MAX_VALUE} if there is none. */
    private long next(Windowed of) {
        if (of.panes != null) {
            return of.panes.nextEnd(Math.max(end, of.closed));
        }
        return window < of.tables.size() ? of.tables.start(window) + of.windows.size() : Long.MAX_VALUE;
    }
}
