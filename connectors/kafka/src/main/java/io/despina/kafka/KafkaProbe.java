package io.despina.kafka;

import io.despina.connect.Connector.Use;
import io.despina.connect.ConnectorSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Asks brokers for topics and for our rights to them, by the client for administrators: it only describes. */
final class KafkaProbe {
    private static final String ADDRESS = "bootstrap_servers";
    private static final String MARKERS = "markers";

    private final ConnectorSettings settings;
    private final String servers;
    private final long millis;

    KafkaProbe(ConnectorSettings settings, long millis) {
        this.settings = settings;
        servers = settings.text(ADDRESS);
        this.millis = Math.min(millis, settings.whole("connect_ms"));
    }

    String run(Use use) throws Exception {
        Properties properties = ClientProperties.of(settings, ClientProperties.name("check", 0));
        properties.setProperty("default.api.timeout.ms", Long.toString(millis));
        properties.setProperty("request.timeout.ms", Long.toString(millis));
        try (Admin admin = ClientProperties.made(() -> Admin.create(properties))) {
            return (use == Use.READ ? read(admin) : written(admin, use)) + " at " + servers;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            throw KafkaWords.of(e instanceof ExecutionException ? e.getCause() : e, "`" + ADDRESS + "` " + servers,
                    millis + " ms");
        }
    }

    private String read(Admin admin) throws Exception {
        List<String> found = new ArrayList<>();
        for (String topic : settings.texts("topics")) {
            found.add(allowed(admin, topic, "topics", Set.of(AclOperation.READ)));
        }
        if (settings.has("group")) {
            checkGroup(admin, settings.text("group"));
        }
        return String.join(", ", found);
    }

    private String written(Admin admin, Use use) throws Exception {
        String found = settings.has("topic") ? allowed(admin, settings.text("topic"), "topic", Set.of(AclOperation.WRITE))
                : "cluster " + get(admin.describeCluster(new DescribeClusterOptions()).clusterId());
        return use == Use.WRITE_EPOCHS ? found + ", " + markers(admin) : found;
    }

    /** @return in words, what the topic is */
    private String allowed(Admin admin, String topic, String field, Set<AclOperation> wanted) throws Exception {
        TopicDescription found = described(admin, topic);
        if (found == null) {
            throw new IOException("Kafka at " + servers + " has no topic `" + topic + "` of `" + field
                    + "`: it must be there when the job starts");
        }
        refuse("topic `" + topic + "` of `" + field + "`", found.authorizedOperations(), wanted);
        int partitions = found.partitions().size();
        return "topic " + topic + " (" + partitions + (partitions == 1 ? " partition)" : " partitions)");
    }

    /** Null if it is not there. */
    private static TopicDescription described(Admin admin, String topic) throws Exception {
        try {
            return get(admin.describeTopics(List.of(topic), new DescribeTopicsOptions().includeAuthorizedOperations(true))
                    .allTopicNames()).get(topic);
        } catch (UnknownTopicOrPartitionException missing) {
            return null;
        }
    }

    private void refuse(String what, Set<AclOperation> has, Set<AclOperation> wanted) throws IOException {
        for (AclOperation each : wanted) {
            if (has != null && !has.contains(each)) {       // an old broker does not say
                throw new IOException("the brokers at " + servers + " do not allow " + each + " of " + what
                        + (settings.has("mechanism") ? "" : " without a login") + "; it may be allowed by kafka-acls.sh");
            }
        }
    }

    /** A group that is not there yet is made by the first offsets. */
    private void checkGroup(Admin admin, String group) throws Exception {
        try {
            ConsumerGroupDescription found = get(admin.describeConsumerGroups(List.of(group),
                    new DescribeConsumerGroupsOptions().includeAuthorizedOperations(true)).all()).get(group);
            refuse("`group` " + group, found.authorizedOperations(), Set.of(AclOperation.READ));
        } catch (GroupIdNotFoundException none) {
            // nobody has written offsets for it
        }
    }

    private String markers(Admin admin) throws Exception {
        Markers markers = new Markers(settings, ClientProperties.name("check", 0));
        String topic = settings.text(MARKERS);
        if (described(admin, topic) != null) {
            Markers.refuseOther(admin, topic);
            return allowed(admin, topic, MARKERS, Set.of(AclOperation.READ, AclOperation.WRITE)) + " for markers";
        }
        try {
            get(admin.createTopics(List.of(markers.made()), new CreateTopicsOptions().validateOnly(true)).all());
        } catch (TopicExistsException meanwhile) {
            return "topic " + topic + " for markers";
        }
        return "topic " + topic + " for markers is made by a job with a state";
    }

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception why ? why : e;
        }
    }
}
