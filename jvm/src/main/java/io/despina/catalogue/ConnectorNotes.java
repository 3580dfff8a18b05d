package io.despina.catalogue;

import java.util.Map;

/**
 * What to know of a connector besides its fields, for the page that its declaration names. Both are lists of Markdown, an item
 * for each thing.
 *
 * @param settings what its servers must allow and keep
 * @param traps    what surprises, though nothing is wrong
 */
record ConnectorNotes(String settings, String traps) {
    private static final ConnectorNotes KAFKA = new ConnectorNotes("""
            - Brokers of Kafka 2.5 or later, for transactions as the client uses them; tested with 4.3.
            - Rights: the source reads the topics, and writes the offsets of `group`. The sink writes the topics, and has
              `IdempotentWrite`. In a job that keeps its state it also writes and reads `despina_epochs`, makes it or has it
              made (one partition, `cleanup.policy=compact`, replicated as your data), and uses transactional ids that begin
              with `despina-`.
            - With `topic_by` the sink needs the right to describe the brokers' settings. Without it, a row for a topic that is
              not there is told only after `retry_for_ms`.
            - `transactional.id.expiration.ms` above the time that a job may be down: brokers forget ids after 7 days. The
              marker still says what is there.
            - `transaction.max.timeout.ms` of at least `retry_for_ms`, and 1 minute (brokers have 15), for a sink in a job that
              keeps its state. `transaction.timeout.ms` among `properties` makes it shorter.
            - `unclean.leader.election.enable=false` and `min.insync.replicas=2`: else brokers may lose what they acknowledged.
            - Retention above the time that a job with the source may be down.
            """, """
            - A partition that falls silent holds up every window, and so do all that are silent at the end: see
              [event time](#event-time).
            - Consumers that do not read `read_committed` see rows of transactions that were undone.
            - Do not delete the topic of markers while a job keeps its state: an epoch that was on its way just then would be
              written twice. Do not bring back an older copy of a state folder either: the markers tell of later epochs, and
              the job says so and stops.
            """);

    private static final ConnectorNotes MQTT = new ConnectorNotes("""
            - mosquitto: `persistence true`, and `autosave_interval` or `autosave_on_changes`. Without them a broker that
              crashes forgets sessions and what it kept for them.
            - mosquitto: a message on its way to a source that is connected is no change for `autosave_on_changes`. It is
              saved with the next change, such as an acknowledgement; a broker that crashes before that has lost it.
            - mosquitto: `max_queued_messages` (1000) bounds what it keeps for a source that is away, and drops the rest: raise
              it, or take 0 for no bound.
            - mosquitto: `max_inflight_messages` (20) bounds what it sends before the first acknowledgement, and so the speed of
              a source that waits for the disk: 4000 is better. It bounds the sink with MQTT 5, too.
            - `max_in_flight` of the source (4000) is what it asks of a broker with MQTT 5. No more than it knows again after a
              break: 4,096.
            - A broker that limits the size of packets tells the sink with MQTT 5: longer rows go to `on_error`.
            """, """
            - **Retained messages** come again at each subscription with MQTT 3.1.1, that is when the job starts. With MQTT 5
              they come if the session is new. `"metadata": {"retained": "retained"}` marks them: `filter` drops them if you
              want none.
            - **A filter that is taken out of the graph** stays in the session, and its messages go on coming. Choose another
              `client_id`.
            - **Two jobs with one client id** end each other's connection. MQTT 5 says so, and the job fails; with 3.1.1 the
              source warns.
            - **QoS is the lower one** of publisher and subscriber: what was published with QoS 0 is lost while the source is
              away.
            - **Rights**: brokers that speak 3.1.1 acknowledge what they refuse; only version 5 has a reason, and a refused row
              goes to `on_error`. mosquitto's access lists let everybody subscribe, and give nothing.
            - **A longer message** than `max_record_bytes` is a bad record, and is acknowledged: it does not come again.
            - **A poisoned payload**: with `on_error` skip or dead_letter it is told once. With `fail`, the default, the job
              fails.
            """);

    private static final ConnectorNotes NATS = new ConnectorNotes("""
            - JetStream must be on: `nats-server -js`, or `jetstream {}` in its file. The source needs 2.9 or later.
            - Rights: the user publishes to `$JS.API.STREAM.INFO.*` and `$JS.API.CONSUMER.>`, and subscribes to `_INBOX.>`. For
              the sink also to its subjects, to `despina_epochs.*` and `$JS.API.STREAM.MSG.GET.despina_epochs`, and, if that
              stream is not there yet, `$JS.API.STREAM.CREATE.despina_epochs`. `despina state servers --remove` needs
              `$JS.API.STREAM.PURGE.despina_epochs`.
            - It logs in with `user` and a password, with a token (`token_file`, `token_env`), with a credentials file or the
              seed of an NKey (`credentials_file`, `credentials_env`), and with certificates (`tls`). Files and variables are
              those of the machine where the operator runs.
            - `sync_interval` (two minutes): a machine that loses its power loses what JetStream had not synced. Then the stream
              ends before the job's place, and the job says so.
            """, """
            - **Limits of the stream**: `max_age`, `max_msgs`, `max_bytes` and `max_msgs_per_subject` drop what the source has
              not read yet, for the server does not know how far it is. Without `subject` the source finds such a gap also while
              it runs. With `subject` it finds it when the job goes on, for other numbers are left out all the time.
            - **Work queues**: a stream with `--retention work` or `interest` forgets what is acknowledged, so no job could go
              on from a number. The source refuses it. Make a stream of your own that has this one as its source
              (`nats stream add copy --source readings`).
            - **Headers that are not ASCII**: NATS's client for Java cannot read such a message, though others write it. The job
              fails and names it. Remove it (`nats stream rmm readings 4711`), and the job goes on. The sink fails in the same
              way if somebody has written such a message among its own while they must be read back.
            - **A subject that the stream does not take**: servers of 2.9 refuse it. Later ones do not, for old messages may
              have it; then a warning says so.
            - **A stream that drops what the sink has begun**: if limits of the stream, or a purge, remove messages of an epoch
              before the sink has read them back, nobody can tell which rows were there. The job fails and says so. `max_age`,
              `max_bytes` and `max_msgs` must leave room for an epoch, and for the longest break.
            - **A process, or a server of a cluster, that stands still for longer than `duplicate_window`** (two minutes) with
              rows on their way, and then goes on: the rows come late, and twice. The sink itself sends nothing any more when it
              has heard nothing of its server for half of that time, but looks what is there.
            - **Purged or made anew**: a stream that ends before the job's place is told like a gap.
            """);

    private static final ConnectorNotes REDIS = new ConnectorNotes("""
            - It needs Redis 6.2 or later, or Valkey; to find gaps the source needs 7.0.
            - `appendonly yes` and `appendfsync always`: else the server forgets, see below. `maxmemory-policy noeviction`.
            - Rights (ACL): the source needs `EVAL`, `XINFO`, `XRANGE` and `XREAD` on its keys; the sink `EVAL`, `TYPE`, `XADD`,
              `XDEL`, and on `despina_epochs:*` `GET`, `SET`, `DEL`. With `CONFIG GET`, `check --connect` can say whether the
              server keeps what it acknowledges.
            - It logs in with `user` and a password, and with certificates (`tls`, with `rediss://`).
            """, """
            - **A server that forgets**: Redis answers before its disk has what it was given, unless `appendonly yes` and
              `appendfsync always` are set. Without them a machine that fails, or a fail-over to a replica, may lose rows and
              marks that it had acknowledged. `check --connect` says so. A sink that finds an older mark than its own warns:
              epochs that had left are not sent again. A source that is ahead of its stream tells that like a gap.
            - **Eviction**: with `maxmemory-policy allkeys-…` a full server drops keys, streams and marks among them. With
              `noeviction` the sink waits while the server is full.
            - **Cluster**: rows and marks of a transaction must be on one server. The operators know one server, and no cluster.
            - **A key that is no stream**: its rows go to `on_error`, once, when their epoch is there. If `on_error` fails the
              job, no other row of the same piece of an epoch is written.
            - **Ids that others choose**: an id says when an entry came only if the server made it (`XADD key *`).
            """);

    private static final ConnectorNotes JDBC = new ConnectorNotes("""
            - An index of `column`, or the server sorts the table for each question.
            - MySQL: `useCursorFetch=true` in the `url`, or its driver loads all rows.
            - PostgreSQL: `socketTimeout=60` in the `url`. A server that says nothing any more, though its machine lives, is
              waited for; this ends it after 60 s.
            - PostgreSQL: `tcp_keepalives_idle` in the server, for a client whose machine has vanished: the transaction that it
              had begun holds its row of `despina_epochs` for hours without it.
            - Rights: the source selects from its table. The sink inserts into its own, and selects from it; with `keys` it
              updates too, and with `changelog` it deletes. Its first run in a job that keeps its state makes `despina_epochs`.
            """, """
            - Of the packets of an epoch with one key only the last is written, as far as 8 MB of rows hold them: a trigger sees
              the rows of an epoch, and not each change. Where an epoch has more keys than that and changes each of them many
              times, PostgreSQL is slow, since it keeps each version until the transaction ends: take shorter epochs. An
              instance takes 16 MB of `memory_bytes` for these rows. Once a row of an epoch is bad, none is dropped, so the row
              before a bad one of its key is written.
            - Triggers and `DEFAULT nextval(…)` may have run for transactions that were taken back.
            - Rows are fetched by a cursor, `fetch_rows` at a time. While the graph is slow the cursor stays open, and PostgreSQL
              keeps dead rows as long.
            """);

    private static final ConnectorNotes OPCUA = new ConnectorNotes("""
            - **Limits**: servers revise `keep_ms` and `queue_size`, and many keep one value per node unless told otherwise. What
              is less than asked for is told when the job starts. A lower sampling rate is not.
            - **Sessions**: a job that was killed leaves its session and subscription to the server for `keep_ms`; small devices
              allow only a few.
            - **Certificates**: the server refuses the source's until somebody has it trusted, see [security](#security).
            - **A deadband** needs numbers, and `deadband_percent` nodes with a range (EURange). Others are refused at the start.
            - **Many nodes** are found and watched a thousand at a time, or fewer if the server takes fewer.
            """, """
            - **Addresses**: a server lists endpoints under a name of its own, which others often cannot resolve. The source
              goes to the host and port of `server`, whatever is listed.
            - **Silence**: a value that does not change does not come, so the source may be silent for long. `advance`, as
              above, lets windows close all the same.
            - **Clocks**: `time` is by the clocks of devices. `max_delay_ms` must cover what they differ by; `server_time` or
              `arrived` may be better.
            """);

    private static final ConnectorNotes ZEROMQ = new ConnectorNotes("""
            - Peers have no server between them: each must reach the port that is bound, and what a firewall drops in silence
              looks like a peer that has not come yet.
            - `ZMQ_RCVHWM` and `ZMQ_SNDHWM` of a peer (1000) are messages that wait on its side, besides `high_water_mark` here:
              all of them are lost with its process.
            - A peer that pushes and ends needs a `ZMQ_LINGER` that is long enough for what is in its queue.
            """, """
            - **Nobody says why.** A peer with other keys, or with a socket of another kind (`pub` for `pull`), ends each
              connection as soon as it is made. The source says so, and the job fails after `retry_for_ms`; the sink says it
              when its queue is full.
            - **A wrong host** looks like a peer that has not come yet: after five seconds the source warns that nobody answers.
            - **libzmq from 4.3.3 on and JeroMQ** stop in the middle of one handshake in some thirty; it is given up after two
              seconds and made again. So a connection may take that long.
            - `ipc://`, `inproc://` and multicast are not there: JeroMQ's are its own.
            - **Memory**: `high_water_mark` counts messages, not bytes, for each peer.
            """);

    private static final ConnectorNotes DELTA = new ConnectorNotes("""
            - A folder of this machine needs (hard) links, so that of two writers of a version one gets it. FAT and some network
              drives have none, and the job fails there.
            - S3 needs conditional writes (`If-None-Match`), and `fs.s3a.create.conditional.enabled` as it is, true. The sink
              tries the bucket before the first version of a run.
            - `delta.logRetentionDuration` of the table (30 days), and VACUUM's, above the time that a job with the source may
              be down.
            - `delta.setTransactionRetentionDuration` of the table, if it has one, above the longest break of a job with the
              sink: marks expire with it.
            - Column mapping (`delta.columnMapping.mode`) is refused by the sink, and so are protocols that ask for more than
              Delta's kernel 4.0 can do.
            """, """
            - **Many small files**: an epoch is a version, and at least one file for each instance and partition that has rows.
              With the usual epoch of a second that is 86,400 versions a day. Make epochs longer (`--epoch-ms 60000`), or compact
              the table (`OPTIMIZE`). A checkpoint of the log is written each ten versions, as Delta does it; so is a checksum of
              the table, which comes with each version as long as nobody else writes.
            - **Copies of a state folder**: two jobs that go on from copies have the same outbox. What one has taken in as epoch
              7 counts for the other too, and its rows are left out. One that is behind the other stops, as above.
            """);

    private static final ConnectorNotes ICEBERG = new ConnectorNotes("""
            - A folder of this machine needs (hard) links, so that of two writers of a version one gets it. FAT and some network
              drives have none, and the job fails there.
            - A catalog's tables, and the namespace of a REST catalog, must be there. The sink needs the right to make a table,
              if there is none yet, and to commit to it.
            - Snapshots must not expire sooner than a job with the source may be down (`history.expire.max-snapshot-age-ms`, 5
              days, of whoever calls `expire_snapshots`).
            - `write.metadata.delete-after-commit.enabled` of the table, so that old versions are removed.
            - Stores need what Hadoop's client of them needs, in `core-site.xml`.
            """, """
            - **Many snapshots**: an epoch is a snapshot, and each version of the table names all of them. With the usual epoch
              of a second that is 86,400 a day, and each version takes longer to write than the one before. Make epochs longer
              (`--epoch-ms 60000`), let snapshots expire (`expire_snapshots`), and old versions be removed.
            - **Other writers** to a folder: of two writers of Despina's one gets a version. Iceberg's own Hadoop catalog looks
              whether a version is there, and renames then: on a local disk one that does so at the same moment may take the
              place of a version that was just made. Let others write through it while the job does not run.
            - **A table that was set back** to an earlier snapshot: who follows it has read the rows that are gone, and is not
              told.
            - **Copies of a state folder**: two jobs that go on from copies have the same outbox. What one has taken in as epoch
              7 counts for the other too, and its rows are left out. One that is behind the other stops, as above.
            """);

    /** By page. */
    private static final Map<String, ConnectorNotes> OF = Map.of("docs/kafka.md", KAFKA, "docs/mqtt.md", MQTT, "docs/nats.md",
            NATS, "docs/redis.md", REDIS, "docs/databases.md", JDBC, "docs/opcua.md", OPCUA, "docs/zeromq.md", ZEROMQ,
            "docs/delta.md", DELTA, "docs/iceberg.md", ICEBERG);

    /** The sections of a page; empty for a page of what has no server of its own kind, as sockets. */
    static String sections(String page) {
        ConnectorNotes notes = OF.get(page);
        return notes == null ? "" : "\n## Settings of servers\n\n" + notes.settings + "\n## Traps\n\n" + notes.traps;
    }
}
