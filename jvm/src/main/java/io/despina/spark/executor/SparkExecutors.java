package io.despina.spark.executor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.catalogue.Catalogue;
import io.despina.control.members.Executors;
import io.despina.control.members.Starter;
import io.despina.control.protocol.GivenJson;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Checked;
import io.despina.descriptor.WholeGraph;
import io.despina.json.Json;
import io.despina.link.Attempt;
import io.despina.operator.connect.ConnectorJars;
import io.despina.placement.Deployment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkContext$;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.resource.ResourceProfileBuilder;
import org.apache.spark.resource.TaskResourceRequests;
import scala.Option;

/**
 * The executors of the Spark application whose driver this JVM is. A resource is the only task of a job of its own, and all of a
 * graph's jobs are one job group: the executor of a lost resource is one resource, and Spark's UI shows and cancels the graph by
 * its name.
 */
public final class SparkExecutors implements Executors {
    private static final String DEPLOYMENT = "deployment_text";
    private static final String FILE = "deployment_file";
    private static final String JARS = "jars";
    private static final String PYTHON = "spark.pyspark.python";
    private static final String PYTHON_VARIABLE = "PYSPARK_PYTHON";

    private final JavaSparkContext spark;
    private final TaskSlots slots;
    private final TaskWatch watch;
    private final AtomicLong keys = new AtomicLong();
    private final Path jar;
    /** Connectors whose jars executors get. Guarded by itself. */
    private final Set<String> brought = new HashSet<>();

    private SparkExecutors(SparkContext context, String jar, int left, Runnable end) {
        spark = JavaSparkContext.fromSparkContext(context);
        this.jar = Path.of(jar);
        slots = new TaskSlots(context, left);
        watch = new TaskWatch(slots, end);
        context.addSparkListener(watch);
        String name = jar.substring(jar.lastIndexOf('/') + 1);
        if (context.listJars().forall(one -> !one.endsWith("/" + name))) {
            spark.addJar(jar);
        }
    }

    /**
     * Those of the running application.
     *
     * @param jar  path of the engine's, which executors get from Spark unless they have it
     * @param left slots that the resources leave to the application's own tasks, as those that read a graph's rows
     * @param end  run when the application ends
     */
    public static SparkExecutors ofThisDriver(String jar, int left, Runnable end) throws Refusal {
        Option<SparkContext> active = SparkContext$.MODULE$.getActive();
        if (active.isEmpty()) {
            throw new Refusal("spark", "this JVM has no Spark application that runs", "start a session");
        }
        return new SparkExecutors(active.get(), jar, left, end);
    }

    /** Lets executors have the jars of the graph's connectors, beside the engine's own, but not on their class path. */
    private void bring(String graphText) throws Refusal {
        Checked<WholeGraph> whole = Catalogue.DESCRIPTOR.expand(graphText, "graph");        // null without parts
        JsonNode graph = GivenJson.parseObject(whole.ok() ? whole.value().text() : graphText, "graph");
        for (JsonNode operator : graph.path("operators")) {
            String type = operator.path("type").asText();
            String name = operator.path("connector").asText(type.substring(0, Math.max(0, type.lastIndexOf('_'))));
            Path file = jar.resolveSibling(ConnectorJars.fileName(name.matches("[\\w-]+") ? name : "none"));
            synchronized (brought) {
                if (Files.isReadable(file) && brought.add(file.toString())) {
                    spark.addFile(file.toString());
                }
            }
        }
    }

    /**
     * A run's options with a deployment: without one, every executor is a resource, or as many as leave the slots that are to be
     * left, and they may load the run's jars.
     */
    public String deployed(String graphText, String optionsJson) throws Refusal {
        try {
            bring(graphText);
        } catch (Refusal notEvenJson) {
            return optionsJson;         // the check says it better
        }
        ObjectNode options = GivenJson.parseObject(optionsJson, "options");
        if (options.hasNonNull(DEPLOYMENT)) {
            return optionsJson;
        }
        List<TaskSlots.Executor> all = slots.all();
        List<String> hosts = all.stream().map(TaskSlots.Executor::host).distinct().toList();
        ObjectNode resources = Json.object();
        for (int k = 1; k <= slots.resources(all); k++) {
            ObjectNode resource = resources.putObject("executor_" + k).put("start", "executor");
            if (hosts.size() == 1 && !hosts.get(0).isEmpty()) {
                resource.put("host", hosts.get(0));
            }
            if (options.path(JARS).size() > 0) {
                resource.set(JARS, options.get(JARS));
                resource.putArray("allow_classes").add("*");
            }
        }
        ObjectNode deployment = Json.object().put("format", 1);
        deployment.set("resources", resources);
        options.remove(JARS);
        return Json.text(options.put(DEPLOYMENT, Json.text(deployment)).put(FILE, "executors"));
    }

    @Override
    public Starter room(Attempt attempt, boolean waits, List<Deployment.Resource> resources) throws Refusal {
        TaskSlots.Division division = slots.divide(resources.size(), waits, watch::isAnyLeaving);
        return (resource, arguments, secret) -> start(attempt, division, resource, task(resource, arguments, secret, division));
    }

    /** The Python of Spark's own workers, as PySpark finds it; null if the application names none. */
    private String python() {
        return spark.getConf().get(PYTHON, System.getenv(PYTHON_VARIABLE));
    }

    private ResourceTask task(Deployment.Resource resource, List<String> arguments, String secret,
            TaskSlots.Division division) {
        Map<String, String> options = new HashMap<>();
        for (int k = 0; k + 1 < arguments.size(); k += 2) {
            options.put(arguments.get(k), arguments.get(k + 1));
        }
        if (python() != null) {
            options.put(ExecutorResource.PYTHON, python());
        }
        return new ResourceTask(options, secret, new ResourceTask.Wanted(
                resource.memory().isWritten() ? resource.memoryBytes() : 0, resource.cores(), division.cores()));
    }

    private ExecutorTask start(Attempt attempt, TaskSlots.Division division, Deployment.Resource resource, ResourceTask task) {
        String key = Long.toString(keys.incrementAndGet());
        JavaRDD<Integer> one = spark.parallelize(List.of(0), 1);
        if (division.whole()) {
            one = one.withResources(new ResourceProfileBuilder().require(new TaskResourceRequests().cpus(division.cpus()))
                    .build());
        }
        String words = attempt.job() + ": resource " + resource.name()
                + (attempt.number() == 1 ? "" : ", attempt " + attempt.number());
        ExecutorTask started = new ExecutorTask(resource.name(), one.mapPartitions(task), () -> {
            spark.setJobGroup(attempt.job(), words, true);
            spark.setCallSite(words);
            spark.setLocalProperty(TaskWatch.KEY, key);
        });
        watch.add(key, started);
        return started;
    }

    @Override
    public boolean areNear() {
        return slots.areNear();
    }

    @Override
    public String waitingFor() {
        return slots.waitingFor();
    }

    @Override
    public void close() {
        spark.sc().removeSparkListener(watch);
    }

    @Override
    public String listen() {
        return spark.getConf().get("spark.driver.bindAddress", reached());
    }

    @Override
    public String reached() {
        return spark.getConf().get("spark.driver.host");
    }
}
