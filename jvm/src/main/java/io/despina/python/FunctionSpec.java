package io.despina.python;

import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.spec.Clock;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A Python function, and what it is given.
 *
 * @param name    {@code module:name}
 * @param takes   {@code row}, {@code arrow}, {@code numpy}, {@code pandas} or {@code polars}
 * @param columns of the input that it reads; empty for those that its parameters name, or all
 * @param calls   how it may be called
 * @param input   schema of the packets; for a source that of its rows
 * @param output  the columns that it adds, or those of its rows; a sink gives none
 * @param user    what the graph makes of it, and where
 * @param kept    null if nothing is
 */
public record FunctionSpec(String name, String takes, List<String> columns, Calls calls, Schema input, Schema output, User user,
        Kept kept) {

    /**
     * What is kept for it by key.
     *
     * @param keys  the columns of a key
     * @param state the columns of what is kept for each; with a clock the last is {@link #TIMER}
     * @param clock what tells its timers the time; null if it has none
     */
    public record Kept(Schema keys, Schema state, Clock clock) {
        /** When the timer of a key is due, as a TIMESTAMP; no name that a graph may write. */
        public static final String TIMER = "$timer";
        /** The state as the process has pickled it, as BINARY; no name that a graph may write. */
        public static final String PICKLED = "$pickled";

        /** Without timers. */
        public Kept(Schema keys, Schema state) {
            this(keys, state, null);
        }

        /** With a timer for each key. */
        public Kept timedBy(Clock time) {
            return new Kept(keys, state.plus(Schema.of(new Column(TIMER, Type.Simple.TIMESTAMP, true))), time);
        }
    }

    /**
     * Who calls it.
     *
     * @param behind functions that its process calls with what this one gives, one after the other
     */
    public record User(FunctionRole role, InstancePlace place, List<Behind> behind) {
        public User {
            behind = List.copyOf(behind);
        }
    }

    /**
     * A function behind another in one process.
     *
     * @param rows  that it is called with at most
     * @param bytes likewise
     */
    public record Behind(FunctionSpec function, int rows, int bytes) {
    }

    /**
     * How it may be called.
     *
     * @param adds whether {@link FunctionSpec#output} joins the packets; else its rows are packets of their own
     * @param pure whether it may be called again with the same rows
     * @param inFlight of an {@code async def} that takes rows: how many calls wait at once
     * @param options texts for a class
     */
    public record Calls(boolean adds, boolean pure, int inFlight, Map<String, String> options) {
        public Calls {
            options = Map.copyOf(options);
        }
    }

    public FunctionSpec {
        columns = List.copyOf(columns);
    }

    /** One that takes packets, and answers. */
    public static FunctionSpec of(String name, String takes, List<String> columns, Calls calls, Schema input, Schema output) {
        return new FunctionSpec(name, takes, columns, calls, input, output,
                new User(FunctionRole.FUNCTION, InstancePlace.UNKNOWN, List.of()), null);
    }

    /** Whether it is of the program that submitted the graph, and of no module. */
    public boolean isOfProgram() {
        return name.startsWith(Interpreter.PROGRAM + ":");
    }

    public FunctionSpec as(FunctionRole role) {
        return new FunctionSpec(name, takes, columns, calls, input, output, new User(role, user.place(), user.behind()), kept);
    }

    public FunctionSpec at(InstancePlace place) {
        return new FunctionSpec(name, takes, columns, calls, input, output, new User(user.role(), place, user.behind()), kept);
    }

    public FunctionSpec keeping(Kept state) {
        return new FunctionSpec(name, takes, columns, calls, input, output, user, state);
    }

    /** With others behind it. */
    public FunctionSpec before(List<Behind> others) {
        return new FunctionSpec(name, takes, columns, calls, input, output, new User(user.role(), user.place(), others), kept);
    }

    /** Whether all packets stay, also behind the last of those that its process calls. */
    public boolean keepsPackets() {
        return calls.adds() && user.behind().stream().allMatch(each -> each.function().calls().adds());
    }

    /** For messages: the names of all that its process calls. */
    public String names() {
        return "`" + name + "`" + user.behind().stream().map(each -> " and `" + each.function().name() + "`")
                .collect(Collectors.joining());
    }
}
