package io.despina.control.resource;

import io.despina.control.protocol.Refusal;
import io.despina.python.Interpreter;
import io.despina.python.SentModules;
import java.util.List;

/** Says which Python runs the functions of jobs in a process. */
@FunctionalInterface
public interface PythonPolicy {
    /** What the coordinator names: of its own process, and of those that it has started. */
    PythonPolicy AS_ASKED = (asked, named, functions, resource) -> {
        if (asked == null) {
            throw new Refusal("python", "nobody has said which Python runs `" + functions.get(0) + "`",
                    "run the graph by `despina run` or from Python");
        }
        return named == null ? asked : asked.by(named);
    };

    /** Allows everything. */
    String ALL = "*";

    /**
     * @param asked     by the coordinator; null if it names none
     * @param named     the command that the deployment has for that resource; null for none
     * @param functions to be run here, {@code module:name}; one at least
     * @param resource  the name of this one
     * @throws Refusal if one of them may not run here
     */
    Interpreter choose(Interpreter asked, String named, List<String> functions, String resource) throws Refusal;

    /** What the coordinator names, but run by that command, unless the deployment has one. */
    static PythonPolicy by(String command) {
        return (asked, named, functions, resource) ->
                AS_ASKED.choose(asked, named == null ? command : named, functions, resource);
    }

    /**
     * Of a resource that joins a coordinator elsewhere, and runs nothing that whoever started it has not allowed. A name allows a
     * module that is there; only {@code *} allows code that comes with the job.
     *
     * @param own     its interpreter; null if it has none
     * @param allowed names of modules or functions, prefixes that end with {@code *}, or {@code *}
     */
    static PythonPolicy own(Interpreter own, List<String> allowed) {
        return (asked, named, functions, resource) -> {
            if (named != null) {
                throw new Refusal("python", "resource `" + resource + "` runs functions by the Python of its own command, and the"
                        + " deployment names `" + named + "`", "leave out its \"python\", or start it with --python " + named);
            }
            for (String function : functions) {
                if (function.startsWith(Interpreter.PROGRAM + ":")) {
                    throw new Refusal("python", "resource `" + resource + "` runs functions of modules, and `" + function
                            + "` is one of the program that submits the graph", "put it in a module, and import it from there");
                }
                if (own == null || allowed.stream().noneMatch(pattern -> covers(pattern, function))) {
                    String module = function.substring(0, Math.max(0, function.indexOf(':')));
                    throw new Refusal("python", "resource `" + resource + "` may not run the Python function `" + function + "`",
                            "start it with --allow-python " + module);
                }
            }
            SentModules sent = asked == null ? SentModules.NONE : asked.sent();
            return own.with(allowed.contains(ALL) ? sent : sent.own(allowed));
        };
    }

    private static boolean covers(String pattern, String function) {
        return pattern.endsWith("*") ? function.startsWith(pattern.substring(0, pattern.length() - 1))
                : function.equals(pattern) || function.startsWith(pattern + ":");
    }
}
