package io.despina.plan;

import static io.despina.spec.Never.NEVER;

import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Graph;
import io.despina.expr.Compiled;
import io.despina.spec.Blocking;
import io.despina.spec.ControlCommand;
import io.despina.spec.Points;
import io.despina.spec.SinkGuarantee;
import io.despina.spec.SourceGuarantee;
import io.despina.spec.Windows;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The task of one operator, with every field decoded and defaults filled in. {@link PlannedOperator} holds the schemas of its
 * ports, event time and common fields. The default methods return the answers of most operators; other types override them.
 */
public interface OperatorSpec {

    /** The reason why it cannot run on Spark, and what to do about it. */
    record SparkGap(String why, String hint) {
        /** Of a source whose rows Spark can be given in another way. */
        public static SparkGap ofSource(String why) {
            return new SparkGap(why, "give a DataFrame in its place: to_spark(spark, inputs={…})");
        }

        /** Of a sink of which Spark has none. @param target what it writes to */
        public static SparkGap ofSink(String target) {
            return new SparkGap("Spark has no sink for " + target,
                    "write the frame that the graph gives from Python, or stub the sink");
        }
    }

    /** All its compiled expressions; some may be null. */
    default List<Compiled<?>> code() {
        return List.of();
    }

    /** Values that planning has computed for the plan's JSON. They replace fields of the file or add to them. */
    default Map<String, Object> resolved() {
        return Map.of();
    }

    /** Whether it may block on each packet (sleep, network), and so is never fused. */
    default boolean blocks() {
        return false;
    }

    /** The user's class that it runs, which its resources must allow; null for none. */
    default String userClass() {
        return null;
    }

    /** The Python function that it runs, {@code module:name}, which its resources must allow; null for none. */
    default String pythonFunction() {
        return null;
    }

    /** The commands that it does while it runs; sources can be held besides, and tasks have schedules. */
    default Set<ControlCommand> commands() {
        return Set.of(ControlCommand.FLUSH);
    }

    /** What to do in place of a command that it does not do; null for nothing to be said. */
    default String instead(ControlCommand command) {
        return null;
    }

    /** How long it may take to open beside what is there what {@link ControlCommand#RELOAD} reads, in milliseconds. */
    default long reloadMillis() {
        return 0;
    }

    /** When its task may block. */
    default Blocking blocking() {
        return blocks() ? Blocking.ALWAYS : Blocking.NEVER;
    }

    /** What keeps it from running there; asked for Spark's targets only. */
    default List<SparkGap> sparkGaps(Target target) {
        return List.of();
    }

    /**
     * Whether it takes packets one by one, in event order and by group. Then Spark runs the engine's own operator, over sorted
     * groups or as a stateful processor. Any other operator has a form of its own there, made of frames.
     */
    default boolean isFold() {
        return false;
    }

    /** Whether it keeps state from one micro-batch of a stream of Spark's to the next. */
    default boolean keepsState() {
        return isFold();
    }

    /** Whether its bad records are lines that it parses. Spark reports only those. */
    default boolean parsesLines() {
        return false;
    }

    /** Whether it can leave bad records out on Spark, too. */
    default boolean skipsOnSpark() {
        return lettersOnSpark();
    }

    /** Whether its bad records can leave by port {@code errors} on Spark, too. */
    default boolean lettersOnSpark() {
        return parsesLines();
    }

    /** Whether a packet can be late, if the operator has a port {@code late} and its input has event time. */
    default boolean canBeLate() {
        return true;
    }

    /** Whether it passes packets and watermarks on in their order, at once, or when another input has ended. */
    default boolean passesOn() {
        return false;
    }

    /**
     * Whether its rows leave as the watermark passes them, in event order, once each: none is late behind it, since it has
     * dropped what was.
     */
    default boolean ordersOut() {
        return false;
    }

    /** Whether an input's watermark, and its idleness, count for the rows that leave. */
    default boolean goesBy(int port) {
        return true;
    }

    /** What it makes of a stream with time per key. */
    default TimePerKey timePerKey() {
        return passesOn() ? TimePerKey.UNUSED : TimePerKey.REFUSED;
    }

    /**
     * By how much the event time between two rows of a key may exceed that between the packets from which they come, in
     * microseconds: a window of a minute gives a row a minute, however often packets come. {@code NEVER} if there is no
     * limit. Asked of operators that use the clocks of keys.
     */
    default long pauseMicros() {
        return NEVER;
    }

    /** Whether its process can do the work of an operator behind it too. */
    default boolean sharesProcess(OperatorSpec behind) {
        return false;
    }

    /** Whether it holds packets back for a time: the end of its input then waits, and so it is the first of its task's chain. */
    default boolean holdsBack() {
        return false;
    }

    /** Whether every input packet leaves by port {@code out}. */
    default boolean keepsAll() {
        return true;
    }

    /** Whether a condition chooses the ports by which a packet leaves: what reads from each of them may run in its task. */
    default boolean choosesPorts() {
        return false;
    }

    /** Whether a source starts again at its end, so that event time goes back. */
    default boolean repeats() {
        return false;
    }

    /** Whether a source without an end may have nothing to send for any time. */
    default boolean canBeSilent() {
        return true;
    }

    /** Ordinals of a source's columns whose values never fall. */
    default Set<Integer> rising(ExpressionChecker expressions) {
        return Set.of();
    }

    /** A time that each of its rows has of its own, where event time is that of the packet they come of; null for none. */
    default String ownTime() {
        return null;
    }

    /** Ordinals of the input columns that it reads; null if it may read all. */
    default Set<Integer> reads() {
        return null;
    }

    /**
     * How long after its event time a packet matters to its group, in microseconds; {@link Long#MAX_VALUE} for ever. Asked of
     * operators with one input that take it in event order.
     */
    default long remembersMicros() {
        return Long.MAX_VALUE;
    }

    /** Whether that time counts from the last packet of a group, and those before it in time matter no more. */
    default boolean remembersLastAlone() {
        return false;
    }

    /** The points at which its groups have rows as the watermark passes them; null for none. */
    default Points timely() {
        return null;
    }

    /** What runs in its place in a task of Spark, where packets come in event order and only final rows are wanted. */
    default OperatorSpec onSpark() {
        return this;
    }

    /** Whether a group may be forgotten once all its packets are so old. */
    default boolean forgetsGroups() {
        return remembersMicros() != Long.MAX_VALUE;
    }

    /** The windows that its packets wait for, each until the watermark reaches its end; null for none. */
    default Windows closesWith() {
        return null;
    }

    /** Why its rows can have no event time, though its input has it; null if they have it with the right columns selected. */
    default String losesTime() {
        return null;
    }

    /**
     * What is selected for the event time of its rows.
     *
     * @param times the column of event time at each input; empty if there is none
     */
    default String selectsTime(List<String> times) {
        return times.get(0);
    }

    /** Whether a part of it can run before the link into it, see {@link Plan#isDivided}. */
    default boolean canBeDivided() {
        return false;
    }

    /** Whether packets are partitioned over its instances by a key that it reads itself. */
    default boolean isKeyed() {
        return false;
    }

    /**
     * What it does about packets that left it after the last complete epoch, when the job goes on from that epoch. Every source
     * says so.
     *
     * @param user what the user's classes say
     */
    default Promise<SourceGuarantee> comesAgain(UserPromises user) {
        return null;
    }

    /**
     * What becomes of rows that left the job by it after the last complete epoch, when the job goes on from that epoch. Every
     * sink says so, and every other operator that does something outside of the job; null for those that do not.
     *
     * @param user what the user's classes say
     */
    default Promise<SinkGuarantee> leaves(UserPromises user) {
        return null;
    }

    /** Whether rows leave a sink only when their epoch is complete, though its promise does not say so. */
    default boolean waitsForEpoch() {
        return false;
    }

    /** Whether rows of a sink wait in a log below the state folder, where that is one of its machine. */
    default boolean waitsInLog() {
        return false;
    }

    /** Whether a source can go on from its place with another number of instances. */
    default boolean rescales() {
        return true;
    }

    /** How long a sink keeps a row before it shows it, besides what the epoch takes; {@code NEVER} for until the end. */
    default long shownMillis() {
        return 0;
    }

    /** Whether what a source reads or a sink writes lies on a disk of the machine that it runs on. */
    default boolean keepsRowsHere() {
        return false;
    }

    /** Whether the wall clock decides what becomes of a packet. */
    default boolean goesByClock() {
        return holdsBack();
    }

    /** Whether the order in which packets of several streams arrive decides what becomes of one. */
    default boolean goesByArrival() {
        return false;
    }

    /**
     * Refuses sources that it cannot follow, after everything is planned.
     *
     * @param sources the sources of its packets, by id
     */
    default void checkSources(Graph.Operator written, Supplier<Map<String, OperatorSpec>> sources, Diagnostics diagnostics) {
    }
}
