package io.despina.python;

import java.util.List;

/**
 * Which Python runs the functions, and where their modules are.
 *
 * @param command of the interpreter
 * @param modules folders that are looked in before its own
 */
public record Interpreter(String command, List<String> modules) {
    public Interpreter {
        modules = List.copyOf(modules);
    }
}
