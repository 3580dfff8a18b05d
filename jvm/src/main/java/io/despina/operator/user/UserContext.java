package io.despina.operator.user;

import io.despina.api.Columns;
import io.despina.api.Context;
import io.despina.api.RowState;
import io.despina.api.RowWriter;
import io.despina.operator.OperatorContext;
import java.util.Map;

/**
 * The context that the user's class gets.
 *
 * @param kept null without state
 */
record UserContext(OperatorContext engine, Map<String, String> options, Ports ports, KeyedRow kept) implements Context {

    /**
     * The ports of the class.
     *
     * @param incoming columns of the first input; null for a source
     * @param leaving  columns of the first output; null for a sink
     * @param inputs   by name, of an operator
     * @param outputs  by name, of an operator
     */
    record Ports(Columns incoming, Columns leaving, Map<String, Columns> inputs, Map<String, RowWriter> outputs) {
        /** Of a class that has one port at most on each side. */
        Ports(Columns incoming, Columns leaving) {
            this(incoming, leaving, Map.of(), Map.of());
        }
    }

    @Override
    public String operatorId() {
        return engine.operatorId();
    }

    @Override
    public int instance() {
        return engine.instance();
    }

    @Override
    public int parallelism() {
        return engine.parallelism();
    }

    @Override
    public String option(String name) {
        String value = options.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the graph gives no option `" + name + "`: add it to `options`");
        }
        return value;
    }

    @Override
    public String option(String name, String otherwise) {
        return options.getOrDefault(name, otherwise);
    }

    @Override
    public Columns input() {
        return there(ports.incoming, "a source has no input");
    }

    @Override
    public Columns output() {
        return there(ports.leaving, "a sink has no output");
    }

    @Override
    public Columns input(String port) {
        return named(ports.inputs, port, "input");
    }

    @Override
    public RowWriter writer(String port) {
        return named(ports.outputs, port, "output");
    }

    private static <T> T named(Map<String, T> all, String port, String side) {
        T found = all.get(port);
        if (found == null) {
            throw new IllegalArgumentException("the graph gives it no " + side + " port `" + port + "`: add it to `" + side
                    + "s`");
        }
        return found;
    }

    private static Columns there(Columns columns, String why) {
        if (columns == null) {
            throw new IllegalStateException(why);
        }
        return columns;
    }

    @Override
    public RowState state() {
        if (kept == null) {
            throw new IllegalStateException("the class declares no state(): let it answer the columns that it keeps");
        }
        return kept;
    }

    @Override
    public void warn(String what) {
        engine.warn(what);
    }
}
