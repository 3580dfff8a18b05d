package io.despina.python;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Which Python runs the functions, and where their modules are.
 *
 * @param command of the interpreter
 * @param modules folders that are looked in before its own
 * @param cells   functions of the program that submits the graph, as those of a notebook's cells, by {@code __main__:name}: the
 *                version of its Python and, behind a blank, the code as that wrote it
 * @param sent    modules that came with the job
 */
public record Interpreter(String command, List<String> modules, Map<String, String> cells, SentModules sent) {
    /** The module of functions that are of no module. */
    public static final String PROGRAM = "__main__";

    public Interpreter {
        modules = List.copyOf(modules);
        cells = Map.copyOf(cells);
    }

    /** Runs what is on its machine. */
    public static Interpreter of(String command, List<String> modules) {
        return new Interpreter(command, modules, Map.of(), SentModules.NONE);
    }

    /** The same, run by another command. */
    public Interpreter by(String other) {
        return new Interpreter(other, modules, cells, sent);
    }

    /**
     * A process of it, whose standard error is its standard output.
     *
     * @throws NoInterpreterException if its command runs nothing
     * @throws IOException            the system has no room for a process
     */
    Process start(String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add(0, command);
        try {
            return new ProcessBuilder(all).redirectErrorStream(true).start();
        } catch (IOException failed) {
            throw NoInterpreterException.isWhy(failed.getMessage()) ? new NoInterpreterException(command, failed) : failed;
        }
    }

    public Interpreter with(SentModules other) {
        return new Interpreter(command, modules, cells, other);
    }
}
