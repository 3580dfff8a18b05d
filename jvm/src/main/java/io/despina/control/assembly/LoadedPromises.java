package io.despina.control.assembly;

import io.despina.placement.Deployment;
import io.despina.plan.FunctionFacts;
import io.despina.plan.UserPromises;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Looks classes up in the jars that a deployment names, as far as they lie on this machine. Loads them without running any of
 * their code.
 *
 * @param directory for relative paths
 * @param functions what is known of Python functions
 */
record LoadedPromises(Deployment deployment, Path directory, Map<String, FunctionFacts> functions) implements UserPromises {

    @Override
    public boolean keeps(String className, Class<?> promise) {
        return deployment.resources().stream().map(resource -> resource.user().jars()).distinct()
                .anyMatch(jars -> keeps(className, promise, jars));
    }

    @Override
    public boolean hasMethod(String function, String method) {
        FunctionFacts facts = functions.get(function);
        return facts != null && facts.methods().contains(method);
    }

    private boolean keeps(String className, Class<?> promise, List<String> jars) {
        try (UserJars classes = UserJars.open(jars, directory, Deployment.LOCAL)) {
            return classes != null && promise.isAssignableFrom(Class.forName(className, false, classes));
        } catch (ClassNotFoundException | LinkageError | IllegalArgumentException unknown) {
            return false;       // the resource that runs it says what is wrong
        }
    }
}
