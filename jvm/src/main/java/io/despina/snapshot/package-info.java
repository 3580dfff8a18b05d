/**
 * Snapshots on a file system: files with the states of a job's operator instances at one instant, and the manifest that names
 * these files. {@code docs/state-folder.md} describes the format. Data is not trusted before its checksum is verified.
 */
package io.despina.snapshot;
