/**
 * Snapshots on a file system: what the instances of a job's operators have written of their states at one instant, and
 * the manifest that makes a snapshot of the files. {@code docs/snapshot-format.md} has the format. Nothing that is read
 * here is trusted before its checksum has been compared.
 */
package io.despina.snapshot;
